#!/usr/bin/env node
'use strict';

const fs = require('node:fs/promises');
const path = require('node:path');
const { connect } = require('./connection');

async function pending(db, dir) {
  const files = await fs.readdir(dir);
  const done = new Set(await db.applied());
  const list = files.filter((file) => file.endsWith('.sql') && !done.has(file)).sort();
  return list;
}

async function apply(db, dir, file) {
  const sql = await fs.readFile(path.join(dir, file), 'utf8');
  await db.exec(sql);
  await db.mark(file);
}

function usage(code) {
  console.error('usage: migrate DIR');
  process.exit(code);
}

async function main(argv) {
  const [dir] = argv;
  if (!dir) {
    usage(2);
  }
  const db = await connect();
  for (const file of await pending(db, dir)) {
    await apply(db, dir, file);
  }
}

main(process.argv.slice(2)).catch((err) => {
  console.error(err);
  process.exit(1);
});
