import { store } from './store.mjs';

export const sizeOf = (shop) => {
  return shop.cart?.lines.length;
};
export const keep = (id) => store.insert(id);
