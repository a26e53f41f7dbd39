import { store } from './store.mjs';

export async function place(id) {
  await store.insert(id);
  await store.index(id);
  await store.tell(id);
  return id;
}
