import pg from 'pg';
import { audit } from './audit.mjs';

const pool = new pg.Pool();

export async function findUser(id) {
  const { rows } = await pool.query('select * from users where id = $1', [id]);
  await audit.seen(id);
  return rows[0];
}
