import { store } from './store.mjs';

export async function drain(source) {
  let n = 0;
  outer: for await (const { id, ...item } of source) {
    for (const part of item.parts ?? []) {
      if (part.gone) continue outer;
      if (part.last) break outer;
    }
    n += await store.insert(id);
  }
  return n;
}
