import { readdir, stat } from 'fs/promises';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
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

  async uploads(dir) {
    const sizes = [];
    for (const name of await readdir(dir)) {
      const { size } = await stat(dir + '/' + name);
      sizes.push(size);
    }
    return sizes;
  }
}
