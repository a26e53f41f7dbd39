import { store } from './store.mjs';

export const place = async (customer, id) => {
  await store.insert(customer.id, id);
  return id;
};
