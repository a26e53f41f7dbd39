import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';

const tracer = trace.getTracer('shop');

export const place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const kept = await store.insert(id);
      return await other(kept);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};

export async function other(id) {
  const own = tracer.startSpan('shop.inner');
  try {
    return await store.find(id);
  } finally {
    own.end();
  }
}
