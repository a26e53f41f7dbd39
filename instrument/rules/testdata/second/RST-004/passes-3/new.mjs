import net from 'node:net';
import { writeFile } from 'node:fs/promises';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Queue {
  #file = 'queue.json';

  async close(list) {
    await this.#drain(list);
    this.#file = '';
  }

  async #drain(list) {
    return tracer.startActiveSpan('shop.queue.drain', async (span) => {
      try {
        const rest = list.filter((item) => !item.done);
        await writeFile(this.#file, JSON.stringify(rest));
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
