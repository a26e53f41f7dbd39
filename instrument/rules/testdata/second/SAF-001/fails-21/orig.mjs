import { store } from './store.mjs';

export async function place(id) {
  if (id) {
    var span = await store.width(id);
  }
  return span;
}
