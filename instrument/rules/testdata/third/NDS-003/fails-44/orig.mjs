import { store } from './store.mjs';

export async function place(id) {
  if (id > 1) await store.insert(id);
  else await store.index(id);
  return id;
}
