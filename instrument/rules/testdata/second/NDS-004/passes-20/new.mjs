import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id, { count = 1, tags: [first = 'none'] = [] } = {}, ...rest) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(id, count, first, rest);
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
export { place as put, place as default };
export * from './more.mjs';
