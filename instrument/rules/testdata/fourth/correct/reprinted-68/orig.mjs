import { EventEmitter } from 'node:events';

const TABLE = Symbol('table');

export default class Repository extends EventEmitter {
  static [TABLE] = 'accounts';
  #cache = new Map();

  constructor(client) {
    super({ captureRejections: true });
    this.client = client;
  }

  static table() {
    return this[TABLE];
  }

  get size() {
    return this.#cache.size;
  }

  set limit(value) {
    this.client.limit = value;
  }

  async find(id, { fresh = false } = {}) {
    if (!fresh && this.#cache.has(id)) return this.#cache.get(id);
    const [row] = await this.client.query(
      `SELECT *
         FROM ${Repository.table()}
        WHERE id = $1`,
      [id],
    );
    if (row === undefined) return null;
    this.#cache.set(id, row);
    super.emit('loaded', row);
    return row;
  }

  async *all(batch = 100) {
    for (let offset = 0; ; offset += batch) {
      const rows = await this.client.query('SELECT * FROM accounts OFFSET $1', [offset]);
      if (rows.length === 0) return;
      yield* rows;
    }
  }
}
