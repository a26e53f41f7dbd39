import { createOrder } from './orders.mjs';
import { Refused } from './errors.mjs';

export async function submit(order) {
  try {
    return await createOrder(order);
  } catch (cause) {
    throw new Refused(order.id, { cause });
  }
}
