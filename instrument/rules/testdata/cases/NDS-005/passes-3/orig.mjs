import { createClient } from 'redis';
import log from './log.js';

const client = createClient();

export async function read(key, load) {
  try {
    const hit = await client.get(key);
    if (hit !== null) {
      return JSON.parse(hit);
    }
  } catch (err) {
    log.warn({ err }, 'cache is away');
  }
  const value = await load(key);
  return value;
}

export async function invalidate(keys) {
  let gone = 0;
  for (const key of keys) {
    try {
      gone += await client.del(key);
    } catch (err) {
      if (err.code !== 'ECONNRESET') {
        throw err;
      }
      log.warn({ key }, 'connection was reset');
    }
  }
  return gone;
}

export async function warm(keys, load) {
  const jobs = keys.map((key) => read(key, load));
  await Promise.allSettled(jobs);
}
