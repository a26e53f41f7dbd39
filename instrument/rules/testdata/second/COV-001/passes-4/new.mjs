import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      const checked = await checkLines(id);
      await store.insert({ id, checked });
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

async function checkLines(id) {
  const lines = await store.lines(id);
  return lines.filter((line) => line.count > 0);
}
