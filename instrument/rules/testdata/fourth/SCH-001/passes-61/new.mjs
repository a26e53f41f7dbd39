import { readFile, appendFile } from 'node:fs/promises';
import Redis from 'ioredis';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('billing');

const redis = new Redis();

export class Ledger {
  #file;

  constructor(file) {
    this.#file = file;
  }

  async post(entry) {
    return tracer.startActiveSpan('billing.ledger.post', async (span) => {
      try {
        span.setAttribute('billing.invoice.id', entry.id);
        span.setAttribute('billing.invoice.state', 'open');
        const line = `${entry.id}\t${entry.cents}\n`;
        await appendFile(this.#file, line);
        await redis.incrby('balance', entry.cents);
        return line;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async sync() {
    return tracer.startActiveSpan("billing.ledger.sync", async (span) => {
      try {
        const text = await readFile(this.#file, 'utf8');
        let balance = 0;
        for (const line of text.split('\n')) {
          const [, cents] = line.split('\t');
          if (cents) balance += Number(cents);
        }
        await redis.set('balance', balance);
        return balance;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async balance() {
    return Number(await redis.get('balance'));
  }
}
