import { store } from './store.mjs';

export const place = async ({ id, lines: [first, ...rest] = [] } = {}) => {
  // rest may be empty
  const kept = await store.insert(id, first, rest); // kept for ever
  /* tell */ await store.index(kept);
  return kept;
};
