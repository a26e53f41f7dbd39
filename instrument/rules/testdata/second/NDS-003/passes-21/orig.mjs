import { store } from './store.mjs';

export class Shop {
  static #open = 0;
  static {
    Shop.#open = 1;
  }
  static async place(id) {
    Shop.#open++;
    await store.insert(id, new.target, this, arguments.length);
    return super.toString();
  }
  'quoted name' = 3;
  [Symbol.iterator] = function* () {
    yield 1;
  };
}
