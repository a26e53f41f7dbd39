import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(order) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const { total } = order;
      const width = await store.width(total, (span) => span.length);
      return width + span.offset;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
const span = { offset: 3 };
