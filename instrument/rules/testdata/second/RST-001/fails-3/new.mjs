import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Cart {
  #lines = [];

  add(line) {
    this.#lines.push(line);
    return this.#tally(0.2);
  }

  #tally(tax) {
    return tracer.startActiveSpan('shop.cart.sum', (span) => {
      try {
        let sum = 0;
        for (const line of this.#lines) sum += line.price;
        return sum * (1 + tax);
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
