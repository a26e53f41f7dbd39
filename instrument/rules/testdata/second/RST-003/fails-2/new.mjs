import { createOrder } from './orders.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function submit(order) {
  return tracer.startActiveSpan('shop.web.request', async (span) => {
    try {
      return await createOrder(order);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
