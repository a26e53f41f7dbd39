const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

class Orders {
  async placeOrder(id) {
    return tracer.startActiveSpan('shop.order.place', async (span) => {
      try {
        await store.insert(id);
        return store.size;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  static async refundOrder(id) {
    const paid = await store.paid(id);
    await store.pay(id, -paid);
    return paid;
  }
}

module.exports = Orders;
