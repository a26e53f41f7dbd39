import { store } from './store.mjs';

export const place = async (id) => {
  try {
    return await store.insert(id);
  } catch (cause) {
    return null;
  }
};
