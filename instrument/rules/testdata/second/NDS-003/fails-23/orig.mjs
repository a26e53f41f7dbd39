import { store } from './store.mjs';

export async function place(order) {
  const name = order?.customer?.name;
  await store.insert(name);
  return name;
}
