import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  static #open = 0;
  static {
    Shop.#open = 1;
  }
  static async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        Shop.#open++;
        await store.insert(id, new.target, this, arguments.length);
        return super.toString();
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
  'quoted name' = 3;
  [Symbol.iterator] = function* () {
    yield 1;
  };
}
