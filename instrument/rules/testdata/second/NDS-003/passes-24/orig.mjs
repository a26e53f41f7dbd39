import { store } from './store.mjs';

export async function place(id) {
  await store.query(`select *
from orders
  where id = ${await store.quote(`${id}`)}`);
  /*
     a drawing:
       o--o
  */
  return id;
}
