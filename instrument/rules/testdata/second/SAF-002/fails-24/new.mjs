import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  constructor(id) {
    return tracer.startActiveSpan('shop.make', (span) => {
      try {
        this.id = id;
        this.kept = store.insert(id);
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
