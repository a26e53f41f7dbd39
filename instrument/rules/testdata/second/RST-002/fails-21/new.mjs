import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const sizeOf = (shop) => {
  return tracer.startActiveSpan('shop.size', (span) => {
    try {
      return shop.cart?.lines.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
export const keep = (id) => store.insert(id);
