import { store } from './store.mjs';

export const place = async (id) => {
  return await store.insert(id);
};
