import { store } from './store.mjs';

export async function placeOrder(id, name) {
  const short = function (text) {
    const cut = text.slice(0, 20);
    return cut.trimEnd();
  };
  await store.insert({ id, name: short(name) });
  return store.size;
}
