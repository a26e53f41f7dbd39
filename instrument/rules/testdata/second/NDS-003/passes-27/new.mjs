import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const handlers = {
  order: async (event) => {
    return tracer.startActiveSpan('shop.event.order', async (span) => {
      try {
        await store.insert(event);
        await store.index(event);
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  },
  // not used yet
  'cart:merge': async (event) => {
    await store.merge(event);
  },
};

export const handle = (event) => handlers[event.type]?.(event);
