import { store } from './store.mjs';

export function place(id) {
  return new Promise((resolve, reject) => {
    store.insert(id, (failure, kept) => (failure ? reject(failure) : resolve(kept)));
  });
}
