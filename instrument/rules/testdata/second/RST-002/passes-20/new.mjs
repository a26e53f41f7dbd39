import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const sizeOf = async (shop) => {
  return tracer.startActiveSpan('shop.size', async (span) => {
    try {
      const cart = await store.cart(shop);
      await store.touch(cart);
      return cart.size;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
