import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');
const locks = trace.getTracer('shop.locks');

export const memoize = (fn, { ttl = 60_000, now = Date.now } = {}) => {
  const cache = new Map();
  return async function memoized(...args) {
    return tracer.startActiveSpan('shop.memo.call', async (span) => {
      try {
        span.setAttribute('shop.memo.ttl', Number(ttl));
        const key = JSON.stringify(args);
        const hit = cache.get(key);
        if (hit && hit.until > now()) return hit.value;
        const value = await fn.apply(this, args);
        cache.set(key, { value, until: now() + ttl });
        return value;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
};

export const withLock = (lock) => (fn) => async (...args) => {
  return locks.startActiveSpan('shop.lock.hold', async (span) => {
    try {
      const release = await lock.acquire();
      try {
        return await fn(...args);
      } finally {
        release();
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
