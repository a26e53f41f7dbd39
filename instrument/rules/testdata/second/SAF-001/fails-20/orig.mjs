import { store } from './store.mjs';

export async function place(id, { span = 7 } = {}) {
  await store.insert(id, span);
  return id;
}
