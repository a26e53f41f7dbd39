import { store } from './store.mjs';

export async function placeOrder(id, kind) {
  await store.insert({ id, kind });
  return store.size;
}
