import Stripe from 'acme-pay';
import { store } from './store.mjs';

export class Payments {
  #pay = new Stripe('test');

  async place(id) {
    await store.insert(id);
    return store.size;
  }

  async charge(user, amount) {
    const intent = await this.#pay.intents.create({ user, amount });
    return intent.id;
  }
}
