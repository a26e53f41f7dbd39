import { store } from './store.mjs';

export async function placeOrder(id, name) {
  await store.insert({ id, name: initials(name) });
  return store.size;
}

const initials = (name) => {
  const parts = name.split(' ');
  return parts.map((part) => part[0]).join('');
};
