import { store } from './store.mjs';

export default async function (id, seen = new Set()) {
  if (seen.has(id)) return;
  seen.add(id);
  const list = await store.children(id);
  do {
    await store.touch(list.pop());
  } while (list.length);
}
