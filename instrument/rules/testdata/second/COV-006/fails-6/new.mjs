import { Pool } from 'pg';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Accounts {
  #pool = new Pool();

  async balance(id) {
    return tracer.startActiveSpan('shop.db.read', async (span) => {
      try {
        const { rows } = await this.#pool.query('select balance from accounts where id = $1', [id]);
        return rows[0].balance;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
