import { store } from './store.mjs';

export async function place(id) {
  try {
    await store.insert(id);
  } catch (error) {
    if (error.code === 'GONE') return null;
    throw error;
  }
  return id;
}

export const later = (error) => error.message;
