import { store } from './store.mjs';

export const main = async (args) => {
  await store.load(args);
  if (store.broken) process.exit(2);
  return store.size;
};
