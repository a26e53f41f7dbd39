import { store } from './store.mjs';

export const place = async ({ id, lines: [first, ...rest] = [] }) => {
  const kept = await store.insert(id, first, rest);
  return kept;
};
