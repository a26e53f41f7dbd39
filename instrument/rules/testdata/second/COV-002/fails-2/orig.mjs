import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { store } from './store.mjs';

const run = promisify(execFile);

export async function placeOrder(id) {
  await store.insert({ id });
  return store.size;
}

export async function printLabel(id) {
  const { stdout } = await run('lpr', ['-P', 'labels', id]);
  return stdout.trim();
}
