import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert(id);
  return store.size;
}

export default async function (event, context) {
  const known = await store.find(event.id);
  context.known = known;
  return await store.keep(event.body);
}
