import { store } from './store.mjs';

export async function placeOrders(ids) {
  await Promise.all(ids.map(async (id) => {
    await store.insert({ id });
  }));
  return store.size;
}

export function count() {
  return store.size;
}
