import { createOrder } from './orders.mjs';
import { tell } from './mail.mjs';

export async function submit(order) {
  const kept = await createOrder(order);
  await tell(kept);
  return kept;
}
