import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id, { span } = {}) {
  return tracer.startActiveSpan('shop.place', async (otelSpan) => {
    try {
      otelSpan.setAttribute('shop.place.id', String(id));
      await store.insert(id, span);
      return span;
    } catch (error) {
      otelSpan.recordException(error);
      otelSpan.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      otelSpan.end();
    }
  });
}
