import { store } from './store.mjs';

const trace = [];

export const place = async (id) => {
  trace.push(id);
  await store.insert(id);
  return id;
};
