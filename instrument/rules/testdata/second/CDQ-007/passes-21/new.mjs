import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const place = async (user, id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      span.setAttribute('shop.user.id', user.id);
      await store.insert(user.id, id);
      return user.id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
