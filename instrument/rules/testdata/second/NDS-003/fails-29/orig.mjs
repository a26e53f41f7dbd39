import { store } from './store.mjs';

export async function place(id) {
  label: for (const line of await store.lines(id)) {
    for (const part of line.parts) {
      if (part.gone) continue label;
      await store.touch(part);
    }
  }
  return id;
}
