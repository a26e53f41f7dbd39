import { store } from './store.mjs';

export class Shop {
  constructor(id) {
    this.id = id;
    this.kept = store.insert(id);
  }
}
