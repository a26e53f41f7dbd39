import { store } from './store.mjs';

export async function place(id) {
  try {
    return await store.insert(id);
  } catch (cause) {
    if (cause.code === 'GONE') {
      throw new RangeError('gone');
    } else {
      await store.close();
      throw cause;
    }
  }
}
