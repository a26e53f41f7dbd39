import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function checkout(cart) {
  return { price: priceCart(cart.lines) };
}

function priceCart(lines) {
  return tracer.startActiveSpan('shop.cart.price', (span) => {
    try {
      const sum = lines.reduce((all, line) => all + line.price, 0);
      return sum * 1.2;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
