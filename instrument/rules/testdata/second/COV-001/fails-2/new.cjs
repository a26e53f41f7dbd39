'use strict';
const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

async function placeOrder(id, lines) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      const kept = await store.insert({ id, lines });
      await store.index(kept);
      return kept;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function refundOrder(id, amount) {
  const order = await store.find(id);
  if (order.paid < amount) {
    throw new RangeError('more than was paid');
  }
  return await store.update(id, { refunded: amount });
}

module.exports = { placeOrder, refundOrder };
