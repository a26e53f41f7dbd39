(function (root, factory) {
  if (typeof define === 'function' && define.amd) define([], factory);
  else if (typeof module === 'object' && module.exports) module.exports = factory();
  else root.Ledger = factory();
})(typeof self !== 'undefined' ? self : this, function () {
  'use strict';

  function Ledger(entries) {
    if (!(this instanceof Ledger)) return new Ledger(entries);
    this.entries = entries || [];
  }

  Ledger.prototype.balance = function balance(account) {
    var self = this, sum = 0;
    this.entries.forEach(function (entry) {
      if (entry.account === account) sum += entry.amount * (self.sign || 1);
    });
    return sum;
  };

  Ledger.prototype.post = async function post() {
    for (var i = 0; i < arguments.length; i++) {
      await this.store.append(arguments[i]);
    }
    return this;
  };

  return Ledger;
});
