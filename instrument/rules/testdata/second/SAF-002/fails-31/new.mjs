import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function run(code) {
  return tracer.startActiveSpan('shop.run', (span) => {
    try {
      const before = store.size;
      eval(code);
      return store.size - before;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
