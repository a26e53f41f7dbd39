const debug = require('debug')('mailer');
const { promisify } = require('util');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

module.exports = {
  transport: null,

  async send(message) {
    return tracer.startActiveSpan('shop.mail.send', async (span) => {
      try {
        const info = await this.transport.sendMail(Object.assign({}, message, { date: new Date() }));
        debug('sent %o', info);
        return info.messageId;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  },

  sendLater: promisify(function (message, done) {
    setTimeout(() => done(null, message), 10);
  }),

  retry: async function retry(times, work) {
    return tracer.startActiveSpan('shop.mail.retry', async (span) => {
      try {
        span.setAttribute('shop.mail.kind', 'retry');
        let last = null;
        while (times-- > 0) {
          try {
            return await work();
          } catch (reason) {
            last = reason;
          }
        }
        throw last;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  },
};
