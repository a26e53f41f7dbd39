import { writeFile } from 'node:fs/promises';

export async function saveReport(name, rows) {
  const text = rows.map((row) => row.join(',')).join('\n');
  await put(name, text);
  return text.length;
}

async function put(name, text) {
  await writeFile(name, text);
}
