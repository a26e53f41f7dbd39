import { Pool } from 'pg';
import { NotFound } from './errors.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('accounts');

export class AccountRepository {
  #pool;
  static table = 'accounts';

  constructor(pool = new Pool()) {
    return tracer.startActiveSpan('accounts.new', (span) => {
      try {
        this.#pool = pool;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  get size() {
    return this.#pool.totalCount;
  }

  set timeout(ms) {
    this.#pool.timeout = ms;
  }

  async find(id) {
    return tracer.startActiveSpan('accounts.find', async (span) => {
      try {
        span.setAttribute('accounts.table', AccountRepository.table);
        const { rows } = await this.#pool.query('select * from accounts where id = $1', [id]);
        if (rows.length === 0) {
          throw new NotFound(id);
        }
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

  async transfer(from, to, amount) {
    return tracer.startActiveSpan('accounts.transfer', async (span) => {
      try {
        span.setAttribute('accounts.transfer.amount', amount);
        const client = await this.#pool.connect();
        try {
          await client.query('begin');
          await this.#move(client, from, -amount);
          await this.#move(client, to, amount);
          await client.query('commit');
        } catch (cause) {
          await client.query('rollback');
          throw cause;
        } finally {
          client.release();
        }
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async #move(client, id, by) {
    return client.query('update accounts set balance = balance + $2 where id = $1', [id, by]);
  }
}
