import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { createGunzip as gunzip } from 'node:zlib';

/** @param {import('node:stream').Readable} source */
export async function ingest(source, { db, table = 'rows', batch: size = 500, log } = {}) {
  let total = 0, failed = 0;
  await pipeline(source, gunzip(), parse({ columns: true }), async function* (rows) {
    let list = [];
    for await (const row of rows) {
      if (list.push(row) < size) continue;
      yield list;
      list = [];
    }
    if (list.length) yield list; // the last ones
  }, async (batches) => {
    for await (const batch of batches) {
      const { count } = await db.insert(table, batch);
      failed += batch.length - count;
      total += count;
    }
  });
  log?.('%d rows, %d failed', total, failed);
  return { total, failed };
}

export function rate({ total, failed }) {
  return total + failed === 0 ? Number.NaN : failed / (total + failed);
}
