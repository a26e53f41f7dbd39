import { price } from './price.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const Cart = ({ lines }) => {
  return tracer.startActiveSpan('shop.cart', (span) => {
    try {
      const all = price(lines);
      return lines.length > 0 ? <b>{all}</b> : null;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
