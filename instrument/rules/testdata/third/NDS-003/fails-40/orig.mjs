import { store } from './store.mjs';

export const place = async (id) => {
  const { a, ...b } = await store.find(id);
  return b;
};
