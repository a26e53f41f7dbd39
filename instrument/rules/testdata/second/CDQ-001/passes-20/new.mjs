import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function outer(id) {
  return tracer.startActiveSpan('shop.outer', async (span) => {
    try {
      const inner = async (x) => {
        await store.insert(x);
      };
      await inner(id);
      for (const y of [id]) await inner(y);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export const two = async (id) => {
  return tracer.startActiveSpan('shop.two', async (span) => {
    try {
      return (await store.find(id)) ?? (await store.insert(id));
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
