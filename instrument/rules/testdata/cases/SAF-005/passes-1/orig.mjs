import { db } from './db.js';
import { publish } from './events.js';

const MAX_LINES = 50;

// Places an order and tells the warehouse.
export async function placeOrder(order) {
  if (order.lines.length > MAX_LINES) {
    throw new RangeError(`order ${order.id} has too many lines`);
  }
  const stored = await db.insert('orders', order);
  await publish('order.placed', { id: stored.id });
  return stored;
}

export async function cancelOrder(id, reason = 'customer') {
  const order = await db.find('orders', id);
  if (!order) {
    return null;
  }
  await db.update('orders', id, { state: 'cancelled', reason });
  return order;
}

export function total(order) {
  return order.lines.reduce((sum, line) => sum + line.price * line.count, 0);
}
