import Redis from 'ioredis';

const redis = new Redis();

export async function remember(key, value) {
  await redis.set(key, value, 'EX', 60);
}
