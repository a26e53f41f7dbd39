import knex from 'knex';
import { appendFile } from 'node:fs/promises';

const db = knex({ client: 'pg' });

export async function openOrders(limit) {
  return await db('orders').where({ state: 'open' }).orderBy('id').limit(limit);
}

export class Archive {
  #path;
  constructor(path) {
    this.#path = path;
  }

  async archive(order) {
    await this.#append(JSON.stringify(order));
    await db('orders').where({ id: order.id }).delete();
    return order.id;
  }

  async #append(line) {
    await appendFile(this.#path, line + '\n');
  }
}
