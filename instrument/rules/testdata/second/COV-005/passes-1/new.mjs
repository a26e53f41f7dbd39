import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id, lines, total) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      span.setAttributes({ 'shop.order.id': String(id), 'shop.order.count': lines.length });
      const kept = await store.insert({ id, lines, total });
      if (lines.length === 0) {
        await store.flag(kept);
      }
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
