import { store } from './store.mjs';

export async function drain(source) {
  let n = 0;
  for await (const item of source) {
    n += await store.insert(item);
  }
  return n;
}
