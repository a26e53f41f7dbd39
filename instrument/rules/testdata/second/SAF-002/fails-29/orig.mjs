import { store } from './store.mjs';

export class Shop {
  get total() {
    let sum = 0;
    for (const line of store.lines) sum += line.price;
    return sum;
  }
}
