import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Orders {
  async place(id) {
    return tracer.startActiveSpan('shop.order.place', async (span) => {
      try {
        await this.#hold(id);
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

  async #hold(id) {
    const line = await store.lines(id);
    await store.lock(line);
  }
}
