import { store } from './store.mjs';

export function* ids() {
  yield* store.ids();
}

export async function place(id) {
  await store.insert(id);
  return id;
}
