import express from 'express';
import pg from 'pg';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const pool = new pg.Pool();
export const app = express();

export async function placeOrder(id) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      await store.insert({ id });
      return store.size;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

app.get('/users/:id', async (req, res) => {
  const found = await pool.query('select * from users where id = $1', [req.params.id]);
  res.json(found.rows[0]);
});

export async function listUsers() {
  const found = await pool.query('select * from users');
  return found.rows;
}
