
export const memoize = (fn, { ttl = 60_000, now = Date.now } = {}) => {
  const cache = new Map();
  return async function memoized(...args) {
    const key = JSON.stringify(args);
    const hit = cache.get(key);
    if (hit && hit.until > now()) return hit.value;
    const value = await fn.apply(this, args);
    cache.set(key, { value, until: now() + ttl });
    return value;
  };
};

export const withLock = (lock) => (fn) => async (...args) => {
  const release = await lock.acquire();
  try {
    return await fn(...args);
  } finally {
    release();
  }
};
