import { store } from './store.mjs';

export async function submit(order) {
  return await createOrder(order, 'web');
}

export async function createOrder(order, source) {
  const kept = await store.insert({ ...order, source });
  await store.index(kept);
  return kept;
}
