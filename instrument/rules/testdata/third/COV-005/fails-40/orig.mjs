import { store } from './store.mjs';

export const placeOrder = async (id, total) => {
  await store.insert(id, total);
  return store.size;
};
