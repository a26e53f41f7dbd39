import { writeFile } from 'node:fs/promises';
import { store } from './store.mjs';

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function saveReport(name, rows) {
  const text = rows.map((row) => row.join(',')).join('\n');
  await writeFile(name, text);
  return text.length;
}
