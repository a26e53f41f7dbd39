import { store } from './store.mjs';
import { trace as api } from '@opentelemetry/api';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const own = api.getTracer('shop');

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

// Was there before anybody had a registry.
export async function oldOne(id, kind) {
  return own.startActiveSpan(`legacy ${kind}`, async (span) => {
    try {
      span.setAttribute('legacy id', id);
      return await store.find(id);
    } finally {
      span.end();
    }
  });
}
