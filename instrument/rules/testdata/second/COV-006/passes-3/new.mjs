import pg from 'pg';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const pool = new pg.Pool();

export async function findUser(id) {
  return tracer.startActiveSpan('shop.user.find', async (span) => {
    try {
      const { rows } = await pool.query('select * from users where id = $1', [id]);
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
