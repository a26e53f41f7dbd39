const store = require('./store.cjs');

class Basket {
  total() {
    return this._add(1.2);
  }
  add(line) {
    store.keep(line);
  }
}

const twice = function (text) {
  const one = text + text;
  return one.trim();
};

module.exports = { Basket, double: (x) => twice(x) };
