import { store } from './store.mjs';

export async function place(id) {
  return store.insert(id);
}
