import { store } from './store.mjs';

export async function place(id) {
  await store.insert(id);
  return id;
}
