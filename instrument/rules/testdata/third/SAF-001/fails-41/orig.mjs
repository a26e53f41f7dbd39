import { store } from './store.mjs';
import * as span from './spanner.mjs';

export async function place(id) {
  await store.insert(id);
  return span.width(id);
}
