const { exec } = require('node:child_process');
const express = require('express');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('billing');

const app = express();

async function startDunning(account, level = 1) {
  return tracer.startActiveSpan('billing.dunning.start', async (span) => {
    try {
      const steps = [];
      for (const step of account.plan) {
        if (step.level > level) break;
        await step.run(account);
        steps.push(step.name);
      }
      return steps;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function stopDunning(account) {
  return tracer.startActiveSpan('billing.dunning.stop', (span) => {
    try {
      account.plan = account.plan.filter((step) => step.level < 2);
      for (const step of account.plan) step.cancel();
      exec(`logger stopped ${Number(account.id)}`);
      return account.plan.length === 0;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

app.post('/dunning/:id', async (req, res) => {
  res.json(await startDunning(await req.app.accounts.get(req.params.id)));
});

function depth(plan) {
  return tracer.startActiveSpan('billing.plan.measure', (span) => {
    try {
  let deepest = 0;
  for (const step of plan) {
    const below = depth(step.plan ?? []);
    if (below > deepest) deepest = below;
    step.depth = below;
    step.seen = true;
  }
  return deepest + 1;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

exports.startDunning = startDunning;
exports.stopDunning = stopDunning;
exports.app = app;
