import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      try {
        return await store.insert(id);
      } catch (cause) {
        span.recordException(cause);
        span.setStatus({ code: SpanStatusCode.ERROR });
        if (cause.code === 'GONE') {
          throw new RangeError('gone');
        } else {
          await store.close();
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
