import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        const kept = await store.insert(id);
        if (kept === null) {
          span.end();
        }
        return kept;
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
