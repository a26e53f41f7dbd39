import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function settle(day) {
  for (const id of await store.open(day)) await store.settle(id);
}
