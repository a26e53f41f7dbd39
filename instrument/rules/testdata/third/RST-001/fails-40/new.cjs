const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

class Basket {
  total() {
    return this._add(1.2);
  }
  add(line) {
    store.keep(line);
  }
}

const twice = function (text) {
  return tracer.startActiveSpan('shop.text.clean', (span) => {
    try {
      const one = text + text;
      return one.trim();
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};

module.exports = { Basket, double: (x) => twice(x) };
