import { Pool } from 'pg';

export class Accounts {
  #pool = new Pool();

  async balance(id) {
    const { rows } = await this.#pool.query('select balance from accounts where id = $1', [id]);
    return rows[0].balance;
  }
}
