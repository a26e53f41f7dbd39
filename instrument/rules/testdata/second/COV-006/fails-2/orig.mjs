import { createClient } from 'redis';

const client = createClient();

export async function cartOf(user) {
  return await client.get('cart:' + user);
}
