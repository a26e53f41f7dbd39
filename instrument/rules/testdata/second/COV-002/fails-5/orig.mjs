import { readdir, stat } from 'fs/promises';
import { store } from './store.mjs';

export class Shop {
  async place(id) {
    await store.insert({ id });
    return store.size;
  }

  async uploads(dir) {
    const sizes = [];
    for (const name of await readdir(dir)) {
      const { size } = await stat(dir + '/' + name);
      sizes.push(size);
    }
    return sizes;
  }
}
