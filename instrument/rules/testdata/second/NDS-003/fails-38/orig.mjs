import { store } from './store.mjs';

export async function place(id) {
  const kept = await store.insert(id);
  try {
    await store.index(kept);
  } catch (cause) {
    return null;
  }
  return id;
}
