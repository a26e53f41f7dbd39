const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

const place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(id);
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
module.exports = { place };
