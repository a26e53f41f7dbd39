import { createOrder } from './orders.mjs';

export async function submit(order) {
  return await createOrder(order);
}
