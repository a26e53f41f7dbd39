#!/usr/bin/env node
'use strict';

const fs = require('node:fs/promises');
const path = require('node:path');
const { connect } = require('./connection');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const { hrTime } = require('@opentelemetry/core');
const tracer = trace.getTracer('migrations');

async function pending(db, dir) {
  return tracer.startActiveSpan('migrations.pending', async (span) => {
    try {
      const files = await fs.readdir(dir);
      const done = new Set(await db.applied());
      const list = files.filter((file) => file.endsWith('.sql') && !done.has(file)).sort();
      span.setAttribute('migrations.pending', list.length);
      return list;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function apply(db, dir, file) {
  return tracer.startActiveSpan('migrations.apply', async (span) => {
    try {
      const sql = await fs.readFile(path.join(dir, file), 'utf8');
      span.setAttribute('migrations.sql_length', sql.length);
      await db.exec(sql);
      await db.mark(file);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
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
