'use strict';

const crypto = require('node:crypto');
const store = require('./store');

/**
 * Koa middleware: loads the session of a request.
 */
async function session(ctx, next) {
  const id = ctx.cookies.get('sid');
  ctx.state.session = id ? await store.get(id) : null;
  await next();
  if (ctx.state.session) {
    await store.touch(id);
  }
}

async function begin(ctx, ttl) {
  const id = crypto.randomUUID();
  await store.put(id, { since: Date.now() }, ttl);
  ctx.cookies.set('sid', id, { httpOnly: true });
  return id;
}

function describe(entry) {
  return entry ? `session since ${entry.since}` : 'no session';
}

module.exports = { session, begin, describe };
