import { store } from './store.mjs';

export class Shop {
  static #open = 0;
  async place(id) {
    Shop.#open++;
    await store.insert(id);
    return Shop.#open;
  }
}
