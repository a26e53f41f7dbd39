import { store } from './store.mjs';

let last;
export async function place(id) {
  await store.insert(id);
  return last;
}
