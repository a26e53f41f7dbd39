import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

// ... this was here before: the rest of the code is unchanged.
export async function place(id, ...rest) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      // existing code below must stay
      await store.insert(id, ...rest);
      return [...rest]; /* ... */
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
