const store = require('./store.cjs');

exports.placeOrder = async (id) => {
  await store.insert({ id });
  return store.size;
};

exports.refundOrder = async (id, amount) => {
  await store.refund(id, amount);
  return amount;
};
