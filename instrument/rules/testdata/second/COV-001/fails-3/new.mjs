import { transport } from './transport.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Orders {
  #seen = new Set();

  async place(id) {
    return tracer.startActiveSpan('shop.order.place', async (span) => {
      try {
        this.#seen.add(id);
        await transport.announce(id);
        return this.#seen.size;
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

export class Mail {
  async deliver(to, text) {
    const answer = await transport.open(to);
    await answer.write(text);
    return answer.close();
  }
}
