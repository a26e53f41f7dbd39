import { store } from './store.mjs';

export class Shop {
  async place(id) {
    await store.insert(id);
    return this.size;
  }
}
