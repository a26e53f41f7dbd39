import { createOrder } from './orders.mjs';
import { tell } from './mail.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function submit(order) {
  return tracer.startActiveSpan('shop.web.request', async (span) => {
    try {
      const kept = await createOrder(order);
      await tell(kept);
      return kept;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
