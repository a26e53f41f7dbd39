import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const width = await store.width(id, (span) => span.length);
      const { span: wide } = width;
      return wide + width.span;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
