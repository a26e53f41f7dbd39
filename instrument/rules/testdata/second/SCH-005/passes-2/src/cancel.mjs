import { trace, SpanStatusCode } from '@opentelemetry/api';
import { store } from './store.mjs';

const tracer = trace.getTracer('shop');

export async function cancelOrder(id) {
  return tracer.startActiveSpan('shop.order.cancel', async (span) => {
    try {
      return await store.remove(id);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
