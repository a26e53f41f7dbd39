'use strict';
const store = require('./store.cjs');

exports.place = async (id) => {
  await store.insert(id);
  const { more } = await import('./more.mjs');
  return more;
};
