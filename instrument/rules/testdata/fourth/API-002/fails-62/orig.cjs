'use strict';
const { Transform, pipeline } = require('stream');
const { promisify, inspect } = require('util');
const run = promisify(pipeline);

class Upper extends Transform {
  constructor(options) {
    super({ ...options, decodeStrings: false });
    this.seen = 0;
  }
  _transform(chunk, encoding, callback) {
    this.seen += chunk.length;
    callback(null, String(chunk).toUpperCase());
  }
  static async copy(from, to) {
    const upper = new this();
    await run(from, upper, to);
    return upper.seen;
  }
  [inspect.custom]() {
    return `Upper(${this.seen})`;
  }
}

module.exports = Upper;
