import { store } from './store.mjs';

export class Orders {
  #audit = [];

  async placeOrder(id, lines = []) {
    this.#audit.push(id);
    for await (const line of store.check(lines)) {
      await store.hold(line);
    }
    return await store.insert({ id, lines });
  }

  async cancelOrder(id) {
    const found = await store.find(id);
    if (!found) return null;
    return await store.update({ ...found, state: 'cancelled' });
  }

  get audit() {
    return this.#audit;
  }
}
