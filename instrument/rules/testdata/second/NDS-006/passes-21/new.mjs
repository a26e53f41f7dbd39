import { createRequire } from 'node:module';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const require = createRequire(import.meta.url);
const store = require('./store.cjs');

export async function place(id) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(id);
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
