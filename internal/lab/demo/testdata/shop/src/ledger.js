import { appendFile } from 'node:fs/promises';

export async function append(file, entry) {
  const line = JSON.stringify(entry) + '\n';
  await appendFile(file, line);
  return line.length;
}
