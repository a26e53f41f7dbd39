import { store } from './store.mjs';

export async function main(args) {
  try {
    await store.load(args);
  } catch (cause) {
    console.error(cause);
    process.exit(1);
  }
  return store.size;
}
