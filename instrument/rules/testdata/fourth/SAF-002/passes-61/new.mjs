import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Connection extends EventEmitter {
  socket;
  buffer = Buffer.alloc(0);
  onData = async (bytes) => {
    this.buffer = Buffer.concat([this.buffer, bytes]);
    let at;
    while ((at = this.buffer.indexOf(10)) !== -1) {
      const line = this.buffer.subarray(0, at);
      this.buffer = this.buffer.subarray(at + 1);
      await this.dispatch(line.toString('utf8'));
    }
  };

  async open(port, host = '127.0.0.1') {
    return tracer.startActiveSpan('shop.connection.open', async (span) => {
      try {
        span.setAttribute('shop.port', Number(port));
        this.socket = net.connect({ port, host });
        this.socket.on('data', this.onData);
        await once(this.socket, 'connect');
        return this;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async dispatch(line) {
    return await tracer.startActiveSpan('shop.connection.dispatch', async (span) => {
      try {
        const [verb, ...rest] = line.split(' ');
        const name = `on${verb[0].toUpperCase()}${verb.slice(1)}`;
        if (typeof this[name] === 'function') await this[name](...rest);
        else super.emit('unknown', verb);
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
