import pg from 'pg';
import axios from 'axios';
import { store } from './store.mjs';

const pool = new pg.Pool();

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function rateOf(currency) {
  const { data } = await axios.get('https://rates.example/' + currency);
  return data.rate;
}

export async function userOf(id) {
  const { rows } = await pool.query('select * from users where id = $1', [id]);
  return rows[0];
}
