import { store } from './store.mjs';

export function watch(emitter) {
  emitter.on('order', (order) => store.insert(order));
  emitter.on('cancel', (order) => store.remove(order));
}
