import { store } from './store.mjs';

export async function place(id) {
  try {
    await store.insert(id);
    return id;
  } catch (cause) {
    throw new Error('not placed', { cause });
  }
}
