import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

let last;
export async function place(id) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      span.setAttribute('shop.place.id', (last = String(id)));
      await store.insert(id);
      return last;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
