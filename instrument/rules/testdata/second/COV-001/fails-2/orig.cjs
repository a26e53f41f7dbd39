'use strict';
const store = require('./store.cjs');

async function placeOrder(id, lines) {
  const kept = await store.insert({ id, lines });
  await store.index(kept);
  return kept;
}

async function refundOrder(id, amount) {
  const order = await store.find(id);
  if (order.paid < amount) {
    throw new RangeError('more than was paid');
  }
  return await store.update(id, { refunded: amount });
}

module.exports = { placeOrder, refundOrder };
