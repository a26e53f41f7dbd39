import { store } from './store.mjs';

export class Orders {
  async place(id) {
    await this.#hold(id);
    await store.insert({ id });
    return store.size;
  }

  async #hold(id) {
    const line = await store.lines(id);
    await store.lock(line);
  }
}
