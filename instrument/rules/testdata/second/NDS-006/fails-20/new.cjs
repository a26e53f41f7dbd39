'use strict';
const store = require('./store.cjs');
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

exports.place = async (id) => {
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
