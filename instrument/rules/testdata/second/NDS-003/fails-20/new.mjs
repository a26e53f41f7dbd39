import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const place = async ({ id, lines: [first, ...rest] = [] }) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const kept = await store.insert(id, rest, first);
      return kept;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
