import process, { exit } from 'node:process';
import { store } from './store.mjs';

export async function main(args) {
  await store.load(args);
  if (store.broken) exit(2);
  return process.argv.length;
}
