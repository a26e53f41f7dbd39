import { store } from './store.mjs';

export async function place(id, { count = 1, tags = [] } = {}) {
  await store.insert(id, count, tags);
  return id;
}
