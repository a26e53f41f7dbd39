import { createOrder } from './orders.mjs';

export async function submit(order) {
  if (order.lines.length === 0) {
    return null;
  }
  return await createOrder(order);
}
