import { store } from './store.mjs';

const PLACE = 'shop.order.place';

export async function placeOrder(id) {
  await store.insert(id);
  return store.size;
}
