import { createClient } from 'redis';
import log from './log.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('cache');

const client = createClient();

export async function read(key, load) {
  return tracer.startActiveSpan('cache.read', async (span) => {
    try {
      try {
        const hit = await client.get(key);
        if (hit !== null) {
          span.setAttribute('cache.hit', true);
          return JSON.parse(hit);
        }
      } catch (err) {
        log.warn({ err }, 'cache is away');
      }
      const value = await load(key);
      span.setAttribute('cache.loaded', true);
      return value;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function invalidate(keys) {
  return tracer.startActiveSpan('cache.invalidate', async (span) => {
    try {
      span.setAttribute('cache.keys', keys.length);
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
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function warm(keys, load) {
  const jobs = keys.map((key) => read(key, load));
  await Promise.allSettled(jobs);
}
