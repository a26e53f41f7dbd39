import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id) {
  return await settled(id) + 1;
}

async function settled(id) {
  return tracer.startActiveSpan('shop.text.clean', async (span) => {
    try {
      const order = await store.find(id);
      return order.total;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
