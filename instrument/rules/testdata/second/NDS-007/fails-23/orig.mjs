import { store } from './store.mjs';

export class Shop {
  async place(id) {
    try {
      return await store.insert(id);
    } catch ({ message, code }) {
      switch (code) {
        case 'GONE':
          throw new Error(message);
        default:
          return null;
      }
    }
  }
}
