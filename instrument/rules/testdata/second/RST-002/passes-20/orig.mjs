import { store } from './store.mjs';

export const sizeOf = async (shop) => {
  const cart = await store.cart(shop);
  await store.touch(cart);
  return cart.size;
};
