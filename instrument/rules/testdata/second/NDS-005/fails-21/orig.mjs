import { store } from './store.mjs';

export async function place(id) {
  try {
    await store.insert(id);
  } catch {
    throw new Error('no store');
  }
}
