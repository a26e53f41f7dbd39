import { store } from './store.mjs';

export async function place(id) {
  switch (await store.state(id)) {
    case 'new': return 1;
    default: return 2;
  }
}
