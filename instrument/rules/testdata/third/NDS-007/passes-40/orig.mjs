import { store } from './store.mjs';

export async function place(id) {
  try {
    return await store.insert(id);
  } catch (cause) {
    const text = cause.code ?? 'none';
    if (text === 'GONE') {
      throw new RangeError(text, { cause });
    }
    throw cause;
  } finally {
    await store.close();
  }
}
