import { createClient } from 'redis';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const client = createClient();

export async function cartOf(user) {
  return tracer.startActiveSpan('shop.cache.read', async (span) => {
    try {
      return await client.get('cart:' + user);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
