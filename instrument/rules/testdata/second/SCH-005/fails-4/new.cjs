const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

exports.placeOrder = async (id) => {
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
};

exports.refundOrder = async (id, amount) => {
  await store.refund(id, amount);
  return amount;
};
