import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id, name) {
  await store.insert({ id, name: normalise(name) });
  return store.size;
}

function normalise(name) {
  return tracer.startActiveSpan('shop.text.clean', (span) => {
    try {
      const text = name.trim();
      return text.toLowerCase();
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
