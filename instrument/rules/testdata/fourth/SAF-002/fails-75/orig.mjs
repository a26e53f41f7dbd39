import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export async function readJSON(file, otherwise) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (reason) {
    if (reason.code !== 'ENOENT') throw reason;
    return otherwise;
  }
}

export async function writeJSON(file, value) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

export async function update(root, name, change) {
  const file = join(root, `${name}.json`);
  const before = await readJSON(file, {});
  const after = change(before) ?? before;
  await writeJSON(file, after);
  return after;
}
