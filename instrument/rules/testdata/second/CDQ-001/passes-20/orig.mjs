import { store } from './store.mjs';

export async function outer(id) {
  const inner = async (x) => {
    await store.insert(x);
  };
  await inner(id);
  for (const y of [id]) await inner(y);
}

export const two = async (id) => {
  return (await store.find(id)) ?? (await store.insert(id));
};
