import { store } from './store.mjs';

export function run(code) {
  const before = store.size;
  eval(code);
  return store.size - before;
}
