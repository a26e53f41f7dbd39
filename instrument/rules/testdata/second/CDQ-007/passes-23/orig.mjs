import { store } from './store.mjs';

export const place = async (user, id) => {
  await store.insert(user.id, id);
  return user.id;
};
