import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Orders {
  async place(id) {
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

  async merge(from, to) {
    const lines = await store.lines(from);
    await store.append(to, lines);
    return lines.length;
  }
}
