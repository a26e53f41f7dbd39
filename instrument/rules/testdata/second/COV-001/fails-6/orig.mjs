import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

// Runs each night.
async function settleAll(day) {
  let count = 0;
  for await (const order of store.open(day)) {
    await store.settle(order);
    count++;
  }
  return count;
}

export default settleAll;
