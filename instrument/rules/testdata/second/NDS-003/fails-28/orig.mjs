import { store } from './store.mjs';

export async function place(id) {
  await store.query(`select *
    from orders where id = ${id}`);
  return id;
}
