import { store } from './store.mjs';

export class Orders {
  async place(id) {
    await store.insert({ id });
    return store.size;
  }

  async merge(from, to) {
    const lines = await store.lines(from);
    await store.append(to, lines);
    return lines.length;
  }
}
