'use strict';
const fs = require('fs/promises');
const path = require('path');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('billing');

class Statements {
  constructor(root, clock = Date) {
    this.root = root;
    this.clock = clock;
  }

  get year() {
    return this.clock.year;
  }

  async build(accounts) {
    return tracer.startActiveSpan('billing.statement.build', async (span) => {
      try {
        span.setAttribute('billing.run.count', 1);
        const parts = [];
        for (const account of accounts) {
          const text = await fs.readFile(path.join(this.root, account.file), 'utf8');
          parts.push(text.trimEnd());
        }
        const joined = parts.join('\n\n');
        await fs.writeFile(path.join(this.root, 'statement.txt'), joined);
        return joined.length;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  header(account) {
    return `${account.name} (${account.file})`;
  }
}

async function archive(root, names) {
  return tracer.startActiveSpan('billing.archive', async (span) => {
    try {
      await fs.mkdir(path.join(root, 'old'), { recursive: true });
      for (const name of names) {
        await fs.rename(path.join(root, name), path.join(root, 'old', name));
      }
      return names.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function store(file, list) {
  return tracer.startActiveSpan('billing.list.keep', async (span) => {
    try {
  const text = list.join('\n');
  await fs.writeFile(file, text);
  return text.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

module.exports = { Statements, archive, index: (root) => store(path.join(root, 'i'), []) };
