const store = require('./store.cjs');
const { trace, SpanStatus } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

exports.place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(id);
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatus.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
