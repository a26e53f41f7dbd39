import { store } from './store.mjs';

export async function place(id) {
  await Promise.all([store.insert(id), store.index(id)]);
  return id;
}
