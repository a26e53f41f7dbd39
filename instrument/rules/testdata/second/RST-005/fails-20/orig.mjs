import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';

const tracer = trace.getTracer('shop');

export const place = async (id) => {
  const own = tracer.startSpan('shop.inner');
  const kept = await store.insert(id);
  own.end();
  return kept;
};
