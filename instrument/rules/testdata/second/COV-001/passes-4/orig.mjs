import { store } from './store.mjs';

export async function placeOrder(id) {
  const checked = await checkLines(id);
  await store.insert({ id, checked });
  return store.size;
}

async function checkLines(id) {
  const lines = await store.lines(id);
  return lines.filter((line) => line.count > 0);
}
