import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const PLACE = 'shop.order.place';

export async function placeOrder(id) {
  return tracer.startActiveSpan(PLACE, async (span) => {
    try {
      await store.insert(id);
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
