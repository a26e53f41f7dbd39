import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const place = async (customer, id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      span.setAttribute('shop.customer', JSON.stringify(customer));
      span.setAttribute('customer.phone', String(id));
      await store.insert(customer.id, id);
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
