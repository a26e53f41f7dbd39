import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Orders {
  #audit = [];

  async placeOrder(id, lines = []) {
    return tracer.startActiveSpan('shop.order.place', async (span) => {
      try {
        span.setAttribute('shop.order.id', String(id));
        span.setAttribute('shop.order.count', lines.length);
        this.#audit.push(id);
        for await (const line of store.check(lines)) {
          await store.hold(line);
        }
        return await store.insert({ id, lines });
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async cancelOrder(id) {
    return tracer.startActiveSpan('shop.order.cancel', async (span) => {
      try {
        span.setAttribute('shop.order.id', String(id));
        const found = await store.find(id);
        if (!found) return null;
        return await store.update({ ...found, state: 'cancelled' });
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  get audit() {
    return this.#audit;
  }
}
