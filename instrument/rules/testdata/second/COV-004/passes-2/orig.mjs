import pg from 'pg';
import { store } from './store.mjs';

const pool = new pg.Pool();

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function userOf(id) {
  const { rows } = await pool.query('select * from users where id = $1', [id]);
  return rows[0];
}

export async function* pages() {
  for await (const page of store.pages()) yield page;
}
