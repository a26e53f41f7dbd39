import { store } from './store.mjs';

export async function* pages(id) {
  for await (const page of store.pages(id)) yield page;
}
