import { store } from './store.mjs';

export async function place(id) {
  return await store.insert(id);
}
