import { store } from './store.mjs';

export const placeOrder = async (id) => {
  await store.insert({ id });
  return store.size;
};

export const shipOrder = async (id, { carrier = 'post' } = {}) => {
  const parcel = await store.pack(id);
  parcel.carrier = carrier;
  return await store.hand(parcel);
};
