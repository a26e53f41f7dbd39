import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

export async function* pages(client, size = 100) {
  let cursor = null;
  do {
    const page = await client.list({ cursor, size });
    yield page.items;
    cursor = page.next;
  } while (cursor);
}

export async function exportAll(client, path) {
  const out = createWriteStream(path);
  let count = 0;
  for await (const items of pages(client)) {
    for (const item of items) {
      if (!out.write(JSON.stringify(item) + '\n')) {
        await once(out, 'drain');
      }
      count += 1;
    }
  }
  out.end();
  await once(out, 'finish');
  return count;
}

export async function preview(client, wanted) {
  const shown = [];
  for await (const items of pages(client, wanted)) {
    shown.push(...items);
    if (shown.length >= wanted) break;
  }
  return shown.slice(0, wanted);
}
