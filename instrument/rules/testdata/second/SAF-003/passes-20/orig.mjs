import { store } from './store.mjs';

export const place = async (id) => {
  await store.insert(id);
  return id;
};
