import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const main = async (args) => {
  return tracer.startActiveSpan('shop.main', async (span) => {
    try {
      await store.load(args);
      if (store.broken) process.exit(2);
      return store.size;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
