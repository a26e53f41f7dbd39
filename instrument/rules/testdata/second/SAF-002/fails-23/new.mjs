import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function place(id) {
  return tracer.startActiveSpan('shop.place', (span) => {
    try {
      return new Promise((resolve, reject) => {
        store.insert(id, (failure, kept) => (failure ? reject(failure) : resolve(kept)));
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
