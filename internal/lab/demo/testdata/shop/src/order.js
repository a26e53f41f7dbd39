import { append } from './ledger.js';

// Prices are in cents: 0.1 + 0.2 is no price.
export function total(items) {
  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);
}

export async function placeOrder(order, file) {
  if (order.items.length === 0) {
    throw new Error('an order needs an item');
  }
  const sum = total(order.items);
  await append(file, { id: order.id, sum });
  return sum;
}
