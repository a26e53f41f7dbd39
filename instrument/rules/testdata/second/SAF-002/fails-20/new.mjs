import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function* pages(id) {
  yield* tracer.startActiveSpan('shop.pages', async function* (span) {
    try {
      for await (const page of store.pages(id)) yield page;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
