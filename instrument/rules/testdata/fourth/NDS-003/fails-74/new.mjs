import * as otel from '@opentelemetry/api';
const tracer = otel.trace.getTracer('shop');

const meter = otel.metrics.getMeter('shop');
const counter = meter.createCounter('shop.lookups');

export async function lookup(names, resolve) {
  return tracer.startActiveSpan('shop.lookup', async (span) => {
    try {
      const found = {};
      for (const name of names) {
        counter.add(1, { kind: 'name' });
        found[name] = await resolve(name);
      }
      return found;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: otel.SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
