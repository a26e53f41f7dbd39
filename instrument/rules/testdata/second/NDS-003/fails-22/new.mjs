import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function drain(source) {
  return tracer.startActiveSpan('shop.drain', async (span) => {
    try {
      let n = 0;
      for (const item of source) {
        n += await store.insert(item);
      }
      return n;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
