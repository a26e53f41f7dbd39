import { createOrder } from './orders.mjs';

export async function submit(orders) {
  for (const order of orders) {
    await createOrder(order);
  }
}
