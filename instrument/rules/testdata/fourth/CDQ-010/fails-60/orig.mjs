import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export function* chunk(list, size = 10) {
  for (let i = 0; i < list.length; i += size) {
    yield list.slice(i, i + size);
  }
}

export async function* lines(file) {
  const input = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  for await (const line of input) {
    if (line.trim() !== '') yield JSON.parse(line);
  }
}

export async function importAll(file, sink) {
  const pending = [];
  let count = 0;
  outer: for await (const record of lines(file)) {
    for (const key of Object.keys(record)) {
      if (key.startsWith('_')) continue outer;
    }
    pending.push(record);
    if (pending.length === 10) {
      count += await sink.write(pending.splice(0));
    }
  }
  if (pending.length) count += await sink.write(pending);
  return count;
}
