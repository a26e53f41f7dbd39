const store = require('./store.cjs');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

exports.main = async () => {
  return tracer.startActiveSpan('shop.main', async (span) => {
    try {
      const code = await store.load();
      process.exitCode = code;
      if (code > 1) {
        process.exit();
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
