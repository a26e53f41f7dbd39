'use strict';

const Router = require('@koa/router');
const compose = require('koa-compose');
const Sentry = require('@sentry/node');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

const router = new Router({ prefix: '/v1' });

async function authenticate(ctx, next) {
  return tracer.startActiveSpan('shop.session.verify', async (span) => {
    try {
      span.setAttribute('shop.session.kind', 'bearer');
      const header = ctx.get('authorization');
      const [scheme, token] = header.split(' ');
      if (scheme !== 'Bearer' || !token) ctx.throw(401, 'missing token');
      ctx.state.user = await ctx.app.context.sessions.verify(token);
      await next();
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function audit(action) {
  return async function auditMiddleware(ctx, next) {
    return tracer.startActiveSpan('shop.audit', async (span) => {
      try {
        span.setAttribute('shop.action', String(action));
        const started = Date.now();
        try {
          await next();
        } finally {
          Sentry.addBreadcrumb({ message: action });
          ctx.log.info({ action, ms: Date.now() - started });
        }
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

router.get('/me', compose([authenticate, audit('me')]), async (ctx) => {
  ctx.body = ctx.state.user;
});

module.exports = { router, authenticate, audit };
