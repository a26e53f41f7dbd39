import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const placeOrder = async (id, total) => {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      span.setAttribute('shop.order.total', Number(total));
      await store.insert(id, total);
      return store.size;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
