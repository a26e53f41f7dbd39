import pg from 'pg';
import axios from 'axios';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const pool = new pg.Pool();

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

export async function rateOf(currency) {
  const { data } = await axios.get('https://rates.example/' + currency);
  return data.rate;
}

export async function userOf(id) {
  const { rows } = await pool.query('select * from users where id = $1', [id]);
  return rows[0];
}
