'use strict';

const Router = require('@koa/router');
const compose = require('koa-compose');
const Sentry = require('@sentry/node');

const router = new Router({ prefix: '/v1' });

async function authenticate(ctx, next) {
  const header = ctx.get('authorization');
  const [scheme, token] = header.split(' ');
  if (scheme !== 'Bearer' || !token) ctx.throw(401, 'missing token');
  ctx.state.user = await ctx.app.context.sessions.verify(token);
  await next();
}

function audit(action) {
  return async function auditMiddleware(ctx, next) {
    const started = Date.now();
    try {
      await next();
    } finally {
      Sentry.addBreadcrumb({ message: action });
      ctx.log.info({ action, ms: Date.now() - started });
    }
  };
}

router.get('/me', compose([authenticate, audit('me')]), async (ctx) => {
  ctx.body = ctx.state.user;
});

module.exports = { router, authenticate, audit };
