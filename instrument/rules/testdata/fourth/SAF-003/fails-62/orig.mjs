import * as otel from '@opentelemetry/api';

const meter = otel.metrics.getMeter('shop');
const counter = meter.createCounter('shop.lookups');

export async function lookup(names, resolve) {
  const found = {};
  for (const name of names) {
    counter.add(1, { kind: typeof name });
    found[name] = await resolve(name);
  }
  return found;
}
