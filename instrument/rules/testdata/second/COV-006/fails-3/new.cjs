const axios = require('axios');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

module.exports.rateOf = async (currency) => {
  return tracer.startActiveSpan('shop.rates.read', async (span) => {
    try {
      const { data } = await axios.get('https://rates.example/' + currency);
      return data.rate;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
