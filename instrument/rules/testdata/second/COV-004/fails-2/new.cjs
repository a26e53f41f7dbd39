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

// Its only caller has no span.
async function retire(id) {
  const order = await store.find(id);
  await store.remove(order.id);
  return order.state;
}

exports.sweep = (ids) => Promise.all(ids.map((id) => retire(id)));
