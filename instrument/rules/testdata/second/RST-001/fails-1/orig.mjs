import { store } from './store.mjs';

export async function placeOrder(id, name) {
  await store.insert({ id, name: normalise(name) });
  return store.size;
}

function normalise(name) {
  const text = name.trim();
  return text.toLowerCase();
}
