import { store } from './store.mjs';

export async function placeOrder(id, kind, lines) {
  const kept = await store.insert({ id, kind, lines });
  await store.index(kept, lines.length);
  return kept;
}
