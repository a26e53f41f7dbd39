import { store } from './store.mjs';

export class Job {
  async start(day) {
    return await this.work(day, 0);
  }

  async work(day, from) {
    const list = await store.open(day);
    for (const order of list.slice(from)) await store.settle(order);
    return list.length;
  }
}
