import { store } from './store.mjs';

// Ids are never used again.
export async function place(id) {
  /* first the store */ await store.insert(id);
  return id;
}
