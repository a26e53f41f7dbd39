import express from 'express';
import pg from 'pg';
import { store } from './store.mjs';

const pool = new pg.Pool();
export const app = express();

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

app.get('/users/:id', async (req, res) => {
  const found = await pool.query('select * from users where id = $1', [req.params.id]);
  res.json(found.rows[0]);
});

export async function listUsers() {
  const found = await pool.query('select * from users');
  return found.rows;
}
