import { store } from './store.mjs';

export async function placeOrder(id) {
  const held = await hold(id);
  await store.insert({ id, held });
  return store.size;
}

async function hold(id) {
  const line = await store.lines(id);
  await store.lock(line);
  return line.length;
}
