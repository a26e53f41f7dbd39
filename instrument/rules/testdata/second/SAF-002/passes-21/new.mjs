import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const tools = {
  sum(...list) {
    return tracer.startActiveSpan('shop.sum', (span) => {
      try {
        store.seen(list);
        let all = 0;
        for (const one of list) all += one;
        store.keep(all);
        return all;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  },
  later: async (id) => {
    return tracer.startActiveSpan('shop.later', async (span) => {
      try {
        const found = await store.find(id);
        return await store.update(found);
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  },
};
