import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  get total() {
    return tracer.startActiveSpan('shop.total', (span) => {
      try {
        let sum = 0;
        for (const line of store.lines) sum += line.price;
        return sum;
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
