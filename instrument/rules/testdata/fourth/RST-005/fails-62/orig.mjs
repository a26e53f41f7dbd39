import { trace, context, SpanStatusCode } from '@opentelemetry/api';
import { charge } from './bank.mjs';

const tracer = trace.getTracer('shop');

export async function pay(order) {
  return tracer.startActiveSpan('shop.pay', async (span) => {
    try {
      return await charge(order.cents);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function refund(order, cents) {
  const left = order.cents - cents;
  if (left < 0) throw new RangeError('too much');
  const child = tracer.startSpan('shop.charge');
  await charge(-cents);
  child.end();
  order.cents = left;
  return order;
}

export function inContext(fn) {
  return context.with(context.active(), fn);
}
