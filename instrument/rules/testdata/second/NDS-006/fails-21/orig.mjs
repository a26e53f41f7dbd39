import { store } from './store.mjs';

export class Shop {
  place = async (id) => {
    await store.insert(id);
    return id;
  };
}
