import Redis from 'ioredis';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const redis = new Redis();

export async function remember(key, value) {
  return tracer.startActiveSpan('shop.cache.write', async (span) => {
    try {
      await redis.set(key, value, 'EX', 60);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
