import { store } from './store.mjs';

export async function placeOrder(id, lines, total) {
  const kept = await store.insert({ id, lines, total });
  if (lines.length === 0) {
    await store.flag(kept);
  }
  return kept;
}
