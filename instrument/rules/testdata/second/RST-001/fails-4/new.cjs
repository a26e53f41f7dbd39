const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

function slug(title) {
  return tracer.startActiveSpan('shop.text.clean', (span) => {
    try {
      if (!title) return '';
      const text = title.trim().toLowerCase();
      return text.replace(/[^a-z0-9]+/g, '-');
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

module.exports = async function publish(title) {
  await store.insert({ slug: slug(title) });
  return store.size;
};
