import { store } from './store.mjs';

export async function place(id) {
  const found = /^o-\d+$/.test(id);
  await store.insert(found);
  return found;
}
