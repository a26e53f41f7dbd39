import { store } from './store.mjs';

export async function place(id) {
  try {
    await store.insert(id);
  } catch (cause) {
    if (cause.code !== 'ENOENT') throw cause;
    return null;
  } finally {
    try {
      await store.close();
    } catch {
      // closed already
    }
  }
  return id;
}
