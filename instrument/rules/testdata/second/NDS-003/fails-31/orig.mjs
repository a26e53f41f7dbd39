import { store } from './store.mjs';

export async function place(id) {
  const n = await store.insert(id);
  return n;
}
