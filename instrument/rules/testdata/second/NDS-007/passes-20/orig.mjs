import { store } from './store.mjs';

export async function place(id) {
  try {
    return await store.insert(id);
  } catch (cause) {
    if (cause.code !== 'ENOENT') {
      throw cause;
    }
    return null;
  }
}
