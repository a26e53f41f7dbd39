import { store } from './store.mjs';

async function placeOrder(id) {
  await store.insert(id);
  return store.size;
}

const mergeOrders = async function (a, b) {
  const lines = await store.lines(b);
  return await store.append(a, lines);
};

export { placeOrder, mergeOrders as merge };
