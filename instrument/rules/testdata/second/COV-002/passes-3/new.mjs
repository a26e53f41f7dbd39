import path from 'node:path';
import { createHash } from 'node:crypto';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      await store.insert({ id });
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

export function nameOf(dir, id) {
  const hash = createHash('sha256').update(id).digest('hex');
  return path.join(dir, hash.slice(0, 8));
}
