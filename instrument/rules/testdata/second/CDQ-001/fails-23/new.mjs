import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(ids) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      for (const id of ids) {
        await store.insert(id);
        span.end();
      }
      return ids.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
