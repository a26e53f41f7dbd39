const mongoose = require('mongoose');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

const User = mongoose.model('User', new mongoose.Schema({ name: String }));

exports.userNamed = async function (name) {
  return tracer.startActiveSpan('shop.db.read', async (span) => {
    try {
      const user = await User.findOne({ name });
      return user;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
