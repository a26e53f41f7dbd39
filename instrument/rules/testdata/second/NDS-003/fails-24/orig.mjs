import { store } from './store.mjs';

export async function place(order) {
  const count = order.count ?? 1;
  await store.insert(count);
  return count;
}
