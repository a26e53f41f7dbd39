const store = require('./store.cjs');

async function make(order) {
  const kept = await store.insert(order);
  await store.index(kept);
  return kept;
}

exports.submit = async (order) => {
  const kept = await make(order);
  return kept;
};
