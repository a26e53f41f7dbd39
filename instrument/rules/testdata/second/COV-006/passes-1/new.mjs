import pg from 'pg';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const pool = new pg.Pool();

export async function findUsers(ids) {
  return tracer.startActiveSpan('shop.db.read', async (span) => {
    try {
      const unique = [...new Set(ids)];
      const sorted = unique.sort();
      const { rows } = await pool.query('select * from users where id = any($1)', [sorted]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      const missing = sorted.filter((id) => !byId.has(id));
      return { byId, missing };
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
