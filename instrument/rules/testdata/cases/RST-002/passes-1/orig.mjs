import { Pool } from 'pg';
import { NotFound } from './errors.js';

export class AccountRepository {
  #pool;
  static table = 'accounts';

  constructor(pool = new Pool()) {
    this.#pool = pool;
  }

  get size() {
    return this.#pool.totalCount;
  }

  set timeout(ms) {
    this.#pool.timeout = ms;
  }

  async get(id) {
    const { rows } = await this.#pool.query('select * from accounts where id = $1', [id]);
    if (rows.length === 0) {
      throw new NotFound(id);
    }
    return rows[0];
  }

  async transfer(from, to, amount) {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      await this.#move(client, from, -amount);
      await this.#move(client, to, amount);
      await client.query('commit');
    } catch (cause) {
      await client.query('rollback');
      throw cause;
    } finally {
      client.release();
    }
  }

  async #move(client, id, by) {
    return client.query('update accounts set balance = balance + $2 where id = $1', [id, by]);
  }
}
