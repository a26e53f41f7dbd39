import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Shop {
  async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        try {
          return await store.insert(id);
        } catch ({ message, code }) {
          span.setStatus({ code: SpanStatusCode.ERROR, message });
          switch (code) {
            case 'GONE':
              throw new Error(message);
            default:
              return null;
          }
        }
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
