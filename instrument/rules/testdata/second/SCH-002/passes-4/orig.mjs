import { trace as api } from '@opentelemetry/api';
import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function oldOne(id) {
  const span = api.getActiveSpan();
  if (span) span.setAttribute('legacy.id', id);
  return await store.find(id);
}
