import { store } from './store.mjs';

export async function place(id) {
  'use strict';
  await store.insert(id);
  return id;
}
