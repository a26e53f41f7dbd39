import { readFile } from 'node:fs/promises';

export async function loadReport(name) {
  const text = await readFile(name, 'utf8');
  return JSON.parse(text);
}
