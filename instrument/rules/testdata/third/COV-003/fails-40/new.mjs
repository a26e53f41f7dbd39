import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      span.setStatus({ code: SpanStatusCode.OK });
      await store.insert(id);
      return id;
    } finally {
      span.end();
    }
  });
}
