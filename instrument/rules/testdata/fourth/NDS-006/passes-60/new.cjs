'use strict';
const { Transform, pipeline } = require('stream');
const { promisify, inspect } = require('util');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');
const run = promisify(pipeline);

class Upper extends Transform {
  constructor(options) {
    super({ ...options, decodeStrings: false });
    this.seen = 0;
  }
  _transform(chunk, encoding, callback) {
    this.seen += chunk.length;
    callback(null, String(chunk).toUpperCase());
  }
  static async copy(from, to) {
    return tracer.startActiveSpan('shop.copy', async (span) => {
      try {
        span.setAttribute('shop.copy.case', 'upper');
        const upper = new this();
        await run(from, upper, to);
        return upper.seen;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
  [inspect.custom]() {
    return `Upper(${this.seen})`;
  }
}

module.exports = Upper;
