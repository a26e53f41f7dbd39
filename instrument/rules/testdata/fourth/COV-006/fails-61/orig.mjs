import { readFile, appendFile } from 'node:fs/promises';
import Redis from 'ioredis';

const redis = new Redis();

export class Ledger {
  #file;

  constructor(file) {
    this.#file = file;
  }

  async post(entry) {
    const line = `${entry.id}\t${entry.cents}\n`;
    await appendFile(this.#file, line);
    await redis.incrby('balance', entry.cents);
    return line;
  }

  async sync() {
    const text = await readFile(this.#file, 'utf8');
    let balance = 0;
    for (const line of text.split('\n')) {
      const [, cents] = line.split('\t');
      if (cents) balance += Number(cents);
    }
    await redis.set('balance', balance);
    return balance;
  }

  async balance() {
    return Number(await redis.get('balance'));
  }
}
