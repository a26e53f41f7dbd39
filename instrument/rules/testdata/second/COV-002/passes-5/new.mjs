import knex from 'knex';
import { appendFile } from 'node:fs/promises';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const db = knex({ client: 'pg' });

export async function openOrders(limit) {
  return await db('orders').where({ state: 'open' }).orderBy('id').limit(limit);
}

export class Archive {
  #path;
  constructor(path) {
    this.#path = path;
  }

  async archive(order) {
    return tracer.startActiveSpan('shop.order.archive', async (span) => {
      try {
        await this.#append(JSON.stringify(order));
        await db('orders').where({ id: order.id }).delete();
        return order.id;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async #append(line) {
    await appendFile(this.#path, line + '\n');
  }
}
