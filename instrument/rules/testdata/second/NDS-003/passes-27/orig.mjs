import { store } from './store.mjs';

const handlers = {
  order: async (event) => {
    await store.insert(event);
    await store.index(event);
  },
  // not used yet
  'cart:merge': async (event) => {
    await store.merge(event);
  },
};

export const handle = (event) => handlers[event.type]?.(event);
