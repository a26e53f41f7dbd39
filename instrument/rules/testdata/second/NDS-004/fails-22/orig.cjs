const store = require('./store.cjs');

const place = async (id) => {
  await store.insert(id);
  return id;
};
module.exports = { place, count: 1 };
