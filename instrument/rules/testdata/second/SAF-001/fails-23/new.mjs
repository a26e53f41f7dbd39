import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(tracer) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(tracer.colour);
      return tracer.colour;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
