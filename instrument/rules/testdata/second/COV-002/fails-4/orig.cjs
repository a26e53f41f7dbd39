const fs = require('fs').promises;
const store = require('./store.cjs');

exports.placeOrder = async function (id) {
  await store.insert({ id });
  return store.size;
};

exports.loadPrices = async function (file) {
  const text = await fs.readFile(file, 'utf8');
  return JSON.parse(text);
};
