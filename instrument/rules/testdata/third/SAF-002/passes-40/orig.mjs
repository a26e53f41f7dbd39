import { store } from './store.mjs';

export async function place(id) {
  const exit = await new Promise((resolve) => store.insert(id, resolve));
  queueMicrotask(() => store.tell(id));
  return exit;
}
