import { store } from './store.mjs';

export async function place(id, { count = 1, tags: [first = 'none'] = [] } = {}, ...rest) {
  await store.insert(id, count, first, rest);
  return id;
}
export { place as put, place as default };
export * from './more.mjs';
