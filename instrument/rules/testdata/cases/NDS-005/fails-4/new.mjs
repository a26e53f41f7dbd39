import { db } from './db.js';
import { publish } from './events.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const MAX_LINES = 50;

// Places an order and tells the warehouse.
export async function placeOrder(order) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      span.setAttribute('shop.order.id', order.id);
      if (order.lines.length > MAX_LINES) {
        return undefined;
      }
      const stored = await db.insert('orders', order);
      await publish('order.placed', { id: stored.id });
      return stored;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function cancelOrder(id, reason = 'customer') {
  return tracer.startActiveSpan('shop.order.cancel', async (span) => {
    try {
      span.setAttribute('shop.order.cancel_reason', reason);
      const order = await db.find('orders', id);
      if (!order) {
        return null;
      }
      await db.update('orders', id, { state: 'cancelled', reason });
      return order;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export function total(order) {
  return order.lines.reduce((sum, line) => sum + line.price * line.count, 0);
}
