import { store } from './store.mjs';
import * as otel from '@opentelemetry/api';
const tracer = otel.trace.getTracer('shop');

export const place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(id);
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: otel.SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
