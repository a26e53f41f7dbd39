import { store } from './store.mjs';

export class Shop {
  async place(id, ...lines) {
    await store.insert(id, lines);
    return id;
  }
}
