import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const list = await Promise.all(
        [id].map(async (one) => {
          try {
            return await store.insert(one);
          } catch (cause) {
            span.recordException(cause);
            span.setStatus({ code: SpanStatusCode.ERROR });
            return undefined;
          }
        }),
      );
      return list.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
