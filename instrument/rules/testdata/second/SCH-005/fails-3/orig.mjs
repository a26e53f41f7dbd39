import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function* listOrders(state) {
  for await (const page of store.pages(state)) yield* page;
}
