import { store } from './store.mjs';

export async function placeOrder(id, lines) {
  const kept = await store.insert({ id, lines });
  await store.index(kept);
  return kept;
}
