'use strict';

const iconv = require('iconv-lite');

const LINE = /\r?\n/;

function parse(text, options = {}) {
  const separator = options.separator || ';';
  const lines = text.split(LINE).filter(Boolean);
  const head = lines.shift().split(separator);
  return lines.map((line) => {
    const cells = line.split(separator);
    return Object.fromEntries(head.map((name, i) => [name, cells[i]]));
  });
}

function decode(buffer, encoding) {
  if (!iconv.encodingExists(encoding)) {
    throw new TypeError('unknown encoding: ' + encoding);
  }
  return iconv.decode(buffer, encoding);
}

function* chunks(list, size) {
  for (let i = 0; i < list.length; i += size) {
    yield list.slice(i, i + size);
  }
}

exports.parse = parse;
exports.decode = decode;
exports.chunks = chunks;
