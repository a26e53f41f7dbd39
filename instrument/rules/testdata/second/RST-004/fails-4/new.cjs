const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

const batches = (list, size) => {
  return tracer.startActiveSpan('shop.plan.batch', (span) => {
    try {
      const all = [];
      let now = [];
      for (const item of list) {
        now.push(item);
        if (now.length === size) {
          all.push(now);
          now = [];
        }
      }
      if (now.length > 0) all.push(now);
      const count = all.length;
      return { all, count };
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};

module.exports = { plan: (list) => batches(list, 10).all };
