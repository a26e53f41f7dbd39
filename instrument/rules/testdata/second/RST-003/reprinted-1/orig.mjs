import { createOrder } from './orders.mjs';

export const submit = async (body, user = 'guest') => {
  return await createOrder({ ...body, user, at: Number(body.at ?? 0) }, `web-${user}`);
};
