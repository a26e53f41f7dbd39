import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(order) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const name = order.customer?.name;
      await store.insert(name);
      return name;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
