import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function cancelOrder(id) {
  const order = await store.find(id);
  return await store.update(order, 'cancelled');
}
