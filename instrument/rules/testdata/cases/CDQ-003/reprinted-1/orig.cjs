const express = require('express');
const { validate } = require('./validate');
const users = require('./users');

const router = express.Router();

router.get('/users/:id', async (req, res, next) => {
  const user = await users.byId(req.params.id);
  if (!user) {
    return next();
  }
  res.json(user);
});

router.post('/users', validate('user'), async (req, res) => {
  const user = await users.create(req.body);
  res.status(201).json(user);
});

async function importUsers(rows, { dryRun = false, limit } = {}) {
  const part = limit ? rows.slice(0, limit) : rows;
  const made = [];
  for (const row of part) {
    if (dryRun) continue;
    made.push(await users.create(row));
  }
  return made;
}

module.exports = { router, importUsers };
