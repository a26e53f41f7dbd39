import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  #size = 0;
  size() {
    return tracer.startActiveSpan('shop.size', (span) => {
      try {
        return this.#size;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
  async keep(id) {
    this.#size = await store.insert(id);
  }
}
