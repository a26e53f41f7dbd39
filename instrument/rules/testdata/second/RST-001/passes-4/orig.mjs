import { store } from './store.mjs';

export async function placeOrder(id) {
  return await settled(id) + 1;
}

async function settled(id) {
  const order = await store.find(id);
  return order.total;
}
