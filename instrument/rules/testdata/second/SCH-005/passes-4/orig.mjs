import { store } from './store.mjs';
import { trace as api } from '@opentelemetry/api';
const own = api.getTracer('shop');

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function cancelOrder(id) {
  const mine = own.startSpan('shop.order.cancel');
  try {
    return await store.remove(id);
  } finally {
    mine.end();
  }
}
