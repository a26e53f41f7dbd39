import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(order) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const count = order.count || 1;
      await store.insert(count);
      return count;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
