import { store } from './store.mjs';

export async function place(order) {
  const all = await Promise.all(order.lines.map(async (line) => {
    return await store.insert(line);
  }));
  return all.length;
}
