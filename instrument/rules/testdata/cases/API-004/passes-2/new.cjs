const { EventEmitter } = require('node:events');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('mailer');

class MailWorker extends EventEmitter {
  #running = 0;

  constructor(queue, transport, options = {}) {
    super();
    this.queue = queue;
    this.transport = transport;
    this.limit = options.limit ?? 4;
  }

  get busy() {
    return this.#running;
  }

  async handle(job) {
    return tracer.startActiveSpan('mailer.job.handle', async (span) => {
      try {
        span.setAttribute('mailer.job.attempt', job.attempt);
        this.#running++;
        const message = await this.render(job);
        const receipt = await this.transport.send(message);
        this.#running--;
        this.emit('sent', job.id);
        return receipt;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async render(job) {
    return tracer.startActiveSpan('mailer.job.render', async (span) => {
      try {
        span.setAttribute('mailer.template.name', job.template);
        const template = await this.queue.template(job.template);
        return { to: job.to, body: template.fill(job.values) };
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async drain() {
    for await (const job of this.queue) {
      await this.handle(job);
    }
  }

  name() {
    return this.queue.name;
  }
}

module.exports = MailWorker;
