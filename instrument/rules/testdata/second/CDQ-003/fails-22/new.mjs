import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(id);
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.OK });
      throw error;
    } finally {
      span.end();
    }
  });
};
