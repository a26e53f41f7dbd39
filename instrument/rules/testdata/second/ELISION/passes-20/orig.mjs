import { store } from './store.mjs';

// ... this was here before: the rest of the code is unchanged.
export async function place(id, ...rest) {
  // existing code below must stay
  await store.insert(id, ...rest);
  return [...rest]; /* ... */
}
