import { store } from './store.mjs';

export async function main(args) {
  await store.load(args);
  store.onClose(() => process.exit(0));
  return store.size;
}
