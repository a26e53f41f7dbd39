import { store } from './store.mjs';

export async function place(id) {
  try {
    return await store.insert(id);
  } catch (cause) {
    switch (cause.code) {
      case 'GONE':
        throw new RangeError('gone', { cause });
      default:
        throw cause;
    }
  }
}
