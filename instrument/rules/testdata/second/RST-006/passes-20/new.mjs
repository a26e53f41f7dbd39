import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function main(args) {
  return tracer.startActiveSpan('shop.main', async (span) => {
    try {
      try {
        await store.load(args);
      } catch (cause) {
        console.error(cause);
        process.exit(1);
      }
      return store.size;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
