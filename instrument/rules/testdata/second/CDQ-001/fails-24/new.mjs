import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function place(id) {
  const span = tracer.startSpan('shop.place');
  await store.insert(id);
  span.end();
  return id;
}
