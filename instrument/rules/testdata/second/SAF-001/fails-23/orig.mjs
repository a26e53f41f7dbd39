import { store } from './store.mjs';

export async function place(tracer) {
  await store.insert(tracer.colour);
  return tracer.colour;
}
