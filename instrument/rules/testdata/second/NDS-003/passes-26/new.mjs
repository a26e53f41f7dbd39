import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export default async function (id, seen = new Set()) {
  return tracer.startActiveSpan('shop.walk', async (span) => {
    try {
      if (seen.has(id)) return;
      seen.add(id);
      const list = await store.children(id);
      do {
        await store.touch(list.pop());
      } while (list.length);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
