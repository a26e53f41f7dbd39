'use strict';
const store = require('./store.cjs');
const api = require('@opentelemetry/api');
const tracer = api.trace.getTracer('shop');
const { SpanStatusCode } = api;

exports.place = async (id) => {
  return tracer.startActiveSpan('shop.place', async (span) => {
    try {
      await store.insert(id);
      const { more } = await import('./more.mjs');
      return more;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
