const { EventEmitter } = require('node:events');

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
    this.#running++;
    const message = await this.render(job);
    const receipt = await this.transport.send(message);
    this.#running--;
    this.emit('sent', job.id);
    return receipt;
  }

  async render(job) {
    const template = await this.queue.template(job.template);
    return { to: job.to, body: template.fill(job.values) };
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
