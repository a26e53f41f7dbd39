import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

async function settle(day) {
  for (const id of await store.open(day)) await store.settle(id);
}
export { settle as run };
