import { store } from './store.mjs';

const name = 'shop.order.' + process.env.KIND;

export async function placeOrder(id) {
  await store.insert(id);
  return store.size;
}
