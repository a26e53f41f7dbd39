import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';

const tracer = trace.getTracer('shop');

export class Shop {
  async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        return await trace.getTracer('other').startActiveSpan('shop.inner', async (inner) => {
          const kept = await store.insert(id);
          inner.end();
          return kept;
        });
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
