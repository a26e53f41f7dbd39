import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function drain(source) {
  return tracer.startActiveSpan('shop.drain', async (span) => {
    try {
      let n = 0;
      outer: for await (const { id, ...item } of source) {
        for (const part of item.parts ?? []) {
          if (part.gone) continue outer;
          if (part.last) break outer;
        }
        n += await store.insert(id);
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
