import { store } from './store.mjs';

export async function place(ids) {
  for (const id of ids) {
    await store.insert(id);
  }
  return ids.length;
}
