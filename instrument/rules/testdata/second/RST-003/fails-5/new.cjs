const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

async function make(order) {
  const kept = await store.insert(order);
  await store.index(kept);
  return kept;
}

exports.submit = async (order) => {
  return tracer.startActiveSpan('shop.web.request', async (span) => {
    try {
      const kept = await make(order);
      return kept;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
