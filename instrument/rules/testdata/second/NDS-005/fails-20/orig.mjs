import { store } from './store.mjs';

export async function place(id) {
  try {
    await store.insert(id);
  } finally {
    await store.close();
  }
}
