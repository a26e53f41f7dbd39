import { store } from './store.mjs';

export class Shop {
  #lines = [];
  async place(id) {
    this.#lines.push(await store.insert(id));
    return this.#lines.length;
  }
}
