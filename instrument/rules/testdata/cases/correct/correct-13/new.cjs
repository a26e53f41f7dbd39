const express = require('express');
const { validate } = require('./validate');
const users = require('./users');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('users');

const router = express.Router();

router.get('/users/:id', async (req, res, next) => {
  return tracer.startActiveSpan('users.get', async (span) => {
    try {
      const user = await users.byId(req.params.id);
      if (!user) {
        return next();
      }
      res.json(user);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
});

router.post('/users', validate('user'), async (req, res) => {
  return tracer.startActiveSpan('users.create', async (span) => {
    try {
      const user = await users.create(req.body);
      if (user.plan != null) {
        span.setAttribute('users.plan', user.plan);
      }
      res.status(201).json(user);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
});

async function importUsers(rows, { dryRun = false, limit } = {}) {
  return tracer.startActiveSpan('users.import', async (span) => {
    try {
      span.setAttribute('users.dry_run', dryRun);
      const part = limit ? rows.slice(0, limit) : rows;
      const made = [];
      for (const row of part) {
        if (dryRun) continue;
        made.push(await users.create(row));
      }
      return made;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

module.exports = { router, importUsers };
