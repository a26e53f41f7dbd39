import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(order) {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      const all = await Promise.all(order.lines.map(async (line) => {
        return store.insert(line.id);
      }));
      return all.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
