import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      for (let i = 0; i < 3; i++) {
        try {
          return await store.insert(id);
        } catch (cause) {
          span.recordException(cause);
          span.setStatus({ code: SpanStatusCode.ERROR });
          if (i < 2) continue;
          throw cause;
        }
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
