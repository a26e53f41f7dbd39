import { store } from './store.mjs';

export class Shop {
  #size = 0;
  size() {
    return this.#size;
  }
  async keep(id) {
    this.#size = await store.insert(id);
  }
}
