#!/usr/bin/env node
'use strict';
/** @typedef {object} Order */
const store = require('./store.cjs');

module.exports = {
  async place(id) {
    await store.insert(id);
    return this.count++;
  },
  count: 0,
  later: async function later(id, ...more) {
    if (more.length) return later(id);
    await store.insert(id);
  },
};
