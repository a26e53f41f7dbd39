import { store } from './store.mjs';
import { trace as api } from '@opentelemetry/api';

const own = api.getTracer('shop');

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

// Was there before anybody had a registry.
export async function oldOne(id, kind) {
  return own.startActiveSpan(`legacy ${kind}`, async (span) => {
    try {
      span.setAttribute('legacy id', id);
      return await store.find(id);
    } finally {
      span.end();
    }
  });
}
