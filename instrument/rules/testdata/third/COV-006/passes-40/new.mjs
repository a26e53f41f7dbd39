import Redis from 'ioredis';
import { Pool } from 'pg';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const redis = new Redis();
const pool = new Pool();

export async function priceOf(id) {
  return tracer.startActiveSpan('shop.db.read', async (span) => {
    try {
      const known = await redis.get('price:' + id);
      if (known !== null) {
        return Number(known);
      }
      const { rows } = await pool.query('select price from prices where id = $1', [id]);
      const price = rows[0].price * 1.2;
      await redis.set('price:' + id, price);
      return price;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
