import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  static #open = 0;
  async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        Shop.#open += 2;
        await store.insert(id);
        return Shop.#open;
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
