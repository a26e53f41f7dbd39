import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        await store.insert(id);
        return this.size;
      } catch (error) {
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
