import { store } from './store.mjs';

export async function place(id) {
  const list = await Promise.all(
    [id].map(async (one) => {
      try {
        return await store.insert(one);
      } catch (cause) {
        return undefined;
      }
    }),
  );
  return list.length;
}
