import { store } from './store.mjs';

export const place = async (id) => {
  const all = await Promise.allSettled([store.insert(id), store.index(id)]);
  return all.filter(({ status }) => status === 'fulfilled').length;
};
