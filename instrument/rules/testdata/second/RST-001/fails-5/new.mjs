import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id, name) {
  const short = function (text) {
    return tracer.startActiveSpan('shop.text.clean', (span) => {
      try {
        const cut = text.slice(0, 20);
        return cut.trimEnd();
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
  await store.insert({ id, name: short(name) });
  return store.size;
}
