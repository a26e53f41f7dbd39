import { store } from './store.mjs';

export class Shop {
  async place(id) {
    await store.insert(id);
    return id;
  }
  async cancel(id) {
    await store.remove(id);
    return id;
  }
}
