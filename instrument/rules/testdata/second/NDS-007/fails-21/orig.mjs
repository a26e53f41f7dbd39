import { store } from './store.mjs';

export async function place(id) {
  for (let i = 0; i < 3; i++) {
    try {
      return await store.insert(id);
    } catch (cause) {
      if (i < 2) continue;
      throw cause;
    }
  }
}
