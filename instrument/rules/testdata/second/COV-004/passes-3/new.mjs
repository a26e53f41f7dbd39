import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrders(ids) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      await Promise.all(ids.map(async (id) => {
        await store.insert({ id });
      }));
      return store.size;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export function count() {
  return store.size;
}
