import { store } from './store.mjs';

export async function place(id) {
  try {
    return await store.insert(id);
  } catch (cause) {
    return null;
  }
}
