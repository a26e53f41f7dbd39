import express from 'express';
import { Pool } from 'pg';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const pool = new Pool();
const router = express.Router();

router.post('/orders', async (req, res) => {
  const placed = await placeOrder(req.body.id, req.body.lines);
  res.status(201).json(placed);
});

router.get('/orders/:id', async (req, res, next) => {
  try {
    const { rows } = await pool.query('select * from orders where id = $1', [req.params.id]);
    res.json(rows[0]);
  } catch (failure) {
    next(failure);
  }
});

export async function placeOrder(id, lines) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      span.setAttribute('shop.order.id', String(id));
      const { rows } = await pool.query('insert into orders values ($1) returning *', [id]);
      await store.notify(rows[0], lines);
      return rows[0];
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export default router;
