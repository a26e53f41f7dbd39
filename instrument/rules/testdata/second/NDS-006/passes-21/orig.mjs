import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const store = require('./store.cjs');

export async function place(id) {
  await store.insert(id);
  return id;
}
