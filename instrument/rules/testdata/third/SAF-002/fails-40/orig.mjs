import { store } from './store.mjs';

export const place = (id) => {
  return store.insert(id).then((kept) => kept.id);
};
