import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function submit(order) {
  return tracer.startActiveSpan('shop.web.request', async (span) => {
    try {
      return await createOrder(order, 'web');
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function createOrder(order, source) {
  return tracer.startActiveSpan('shop.order.make', async (span) => {
    try {
      const kept = await store.insert({ ...order, source });
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
