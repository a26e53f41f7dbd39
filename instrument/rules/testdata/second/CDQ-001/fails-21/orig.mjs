import { store } from './store.mjs';

export class Shop {
  async place(id) {
    const kept = await store.insert(id);
    return kept;
  }
}
