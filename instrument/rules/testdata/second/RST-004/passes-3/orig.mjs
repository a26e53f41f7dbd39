import net from 'node:net';
import { writeFile } from 'node:fs/promises';

export class Queue {
  #file = 'queue.json';

  async close(list) {
    await this.#drain(list);
    this.#file = '';
  }

  async #drain(list) {
    const rest = list.filter((item) => !item.done);
    await writeFile(this.#file, JSON.stringify(rest));
  }
}
