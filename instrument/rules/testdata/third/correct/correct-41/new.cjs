'use strict';
const fs = require('node:fs/promises');
const path = require('node:path');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

const dir = process.env.REPORTS || '/tmp';

async function writeReport(name, rows) {
  return tracer.startActiveSpan('shop.report.write', async (span) => {
    try {
      span.setAttribute('shop.report.name', String(name));
      span.setAttribute('shop.report.size', rows.length);
      const file = fileOf(name);
      await fs.mkdir(path.dirname(file), { recursive: true });
      await put(file, rows.map((row) => row.join(';')).join('\n'));
      return file;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function readReport(name) {
  return tracer.startActiveSpan('shop.report.read', async (span) => {
    try {
      span.setAttribute('shop.report.name', String(name));
      const text = await fs.readFile(fileOf(name), 'utf8');
      return text.split('\n').map((line) => line.split(';'));
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function put(file, text) {
  await fs.writeFile(file, text + '\n');
}

const fileOf = (name) => path.join(dir, name + '.csv');

module.exports = { writeReport, readReport };
