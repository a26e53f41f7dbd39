const store = require('./store.cjs');

exports.place = async (id, count = 1) => {
  await store.insert(id, count);
  return id;
};
