import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';

const tracer = trace.getTracer('shop');

export const place = async (id) => {
  const kept = await store.insert(id);
  return await other(kept);
};

export async function other(id) {
  const own = tracer.startSpan('shop.inner');
  try {
    return await store.find(id);
  } finally {
    own.end();
  }
}
