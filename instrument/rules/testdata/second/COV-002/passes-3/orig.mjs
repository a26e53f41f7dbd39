import path from 'node:path';
import { createHash } from 'node:crypto';
import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export function nameOf(dir, id) {
  const hash = createHash('sha256').update(id).digest('hex');
  return path.join(dir, hash.slice(0, 8));
}
