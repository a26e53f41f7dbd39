import { store } from './store.mjs';

// Keeps the order, and gives what was kept.
export async function placeOrder(id, lines) {
  const kept = await store.insert({ id, lines });
  await store.index(kept);
  return kept;
}

export async function cancelOrder(id) {
  const order = await store.find(id);
  if (!order) {
    return null;
  }
  return await store.update(id, { state: 'cancelled' });
}
