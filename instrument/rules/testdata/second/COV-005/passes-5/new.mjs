import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id, lines) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      span.setAttribute('shop.order.id', String(id));
      const kept = await store.insert({ id, lines });
      span.setAttribute('shop.order.count', lines.length);
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
