import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function watch(emitter) {
  return tracer.startActiveSpan('shop.watch', (span) => {
    try {
      emitter.on('order', (order) => store.insert(order));
      emitter.on('cancel', (order) => store.remove(order));
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
