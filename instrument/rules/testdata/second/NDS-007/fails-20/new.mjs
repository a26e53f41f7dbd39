import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      try {
        return await store.insert(id);
      } catch (cause) {
        span.recordException(cause);
        span.setStatus({ code: SpanStatusCode.ERROR });
        return null;
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
