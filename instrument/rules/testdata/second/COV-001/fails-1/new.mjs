import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

// Keeps the order, and gives what was kept.
export async function placeOrder(id, lines) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      span.setAttribute('shop.order.id', String(id));
      const kept = await store.insert({ id, lines });
      await store.index(kept);
      return kept;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function cancelOrder(id) {
  const order = await store.find(id);
  if (!order) {
    return null;
  }
  return await store.update(id, { state: 'cancelled' });
}
