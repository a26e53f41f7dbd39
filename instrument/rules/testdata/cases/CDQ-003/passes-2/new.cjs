'use strict';

const crypto = require('node:crypto');
const store = require('./store');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('session');

/**
 * Koa middleware: loads the session of a request.
 */
async function session(ctx, next) {
  return tracer.startActiveSpan('session.load', async (span) => {
    try {
      const id = ctx.cookies.get('sid');
      ctx.state.session = id ? await store.get(id) : null;
      span.setAttribute('session.known', ctx.state.session !== null);
      await next();
      if (ctx.state.session) {
        await store.touch(id);
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function begin(ctx, ttl) {
  return tracer.startActiveSpan('session.begin', async (span) => {
    try {
      span.setAttribute('session.ttl', ttl);
      const id = crypto.randomUUID();
      await store.put(id, { since: Date.now() }, ttl);
      ctx.cookies.set('sid', id, { httpOnly: true });
      return id;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function describe(entry) {
  return entry ? `session since ${entry.since}` : 'no session';
}

module.exports = { session, begin, describe };
