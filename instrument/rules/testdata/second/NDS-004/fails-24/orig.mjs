import { store } from './store.mjs';

export default async function place(id) {
  await store.insert(id);
  return id;
}
