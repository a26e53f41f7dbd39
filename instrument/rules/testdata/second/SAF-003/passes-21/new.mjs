import { store } from './store.mjs';
import { trace as telemetry, SpanStatusCode as Status } from '@opentelemetry/api';
const tracer = telemetry.getTracer('shop');

const trace = [];

export const place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      trace.push(id);
      await store.insert(id);
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: Status.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
