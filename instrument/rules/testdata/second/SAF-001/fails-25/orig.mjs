import { store } from './store.mjs';

export async function place(order) {
  const { total } = order;
  const width = await store.width(total, (span) => span.length);
  return width + span.offset;
}
const span = { offset: 3 };
