import { store } from './store.mjs';

export async function place(id) {
  const width = await store.width(id, (span) => span.length);
  const { span: wide } = width;
  return wide + width.span;
}
