import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  #lines = new Array();
  async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        this.#lines.push(await store.insert(id));
        return this.#lines.length;
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
