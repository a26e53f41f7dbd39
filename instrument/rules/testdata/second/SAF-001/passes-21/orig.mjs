import { store } from './store.mjs';

export async function place(id, { span } = {}) {
  await store.insert(id, span);
  return span;
}
