#!/usr/bin/env node
'use strict';
/** @typedef {object} Order */
const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

module.exports = {
  async place(id) {
    return tracer.startActiveSpan('shop.place', async (span) => {
      try {
        await store.insert(id);
        return this.count++;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  },
  count: 0,
  later: async function later(id, ...more) {
    return tracer.startActiveSpan('shop.later', async (span) => {
      try {
        if (more.length) return later(id);
        await store.insert(id);
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  },
};
