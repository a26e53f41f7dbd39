import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id, kind, lines) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      span.setAttribute('shop.order.paid', kind === 'paid' || id === null);
      span.setAttribute('shop.order.state', 'new');
      span.setAttribute('shop.order.count', kind && lines.length);
      const kept = await store.insert({ id, kind, lines });
      await store.index(kept, lines.length);
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
