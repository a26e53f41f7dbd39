const { exec } = require('node:child_process');
const express = require('express');

const app = express();

async function startDunning(account, level = 1) {
  const steps = [];
  for (const step of account.plan) {
    if (step.level > level) break;
    await step.run(account);
    steps.push(step.name);
  }
  return steps;
}

function stopDunning(account) {
  account.plan = account.plan.filter((step) => step.level < 2);
  for (const step of account.plan) step.cancel();
  exec(`logger stopped ${Number(account.id)}`);
  return account.plan.length === 0;
}

app.post('/dunning/:id', async (req, res) => {
  res.json(await startDunning(await req.app.accounts.get(req.params.id)));
});

exports.startDunning = startDunning;
exports.stopDunning = stopDunning;
exports.app = app;
