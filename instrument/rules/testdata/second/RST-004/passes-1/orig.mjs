import { readFile } from 'node:fs/promises';

export async function prices(dir) {
  const all = await load(dir + '/prices.json');
  return all.filter((price) => price > 0);
}

async function load(name) {
  const text = await readFile(name, 'utf8');
  return JSON.parse(text);
}
