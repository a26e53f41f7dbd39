const store = require('./store.cjs');

exports.place = async (id) => {
  await store.insert(id);
  return id;
};
