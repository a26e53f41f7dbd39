// What a wrapper must keep: this, super, arguments, private names, return values, errors.
const log = [];
const say = (...x) => log.push(JSON.stringify(x));

class Base {
  constructor(n) { this.n = n; }
  total(x) { return this.n + x; }
  static make(n) { return new this(n); }
}

class Cart extends Base {
  #items = [];
  handler = (x) => this.total(x);
  total(x = 1, { tax = 2, ...rest } = {}, ...more) {
    return super.total(x) + tax + Object.keys(rest).length + more.length + arguments.length;
  }
  async add(item) {
    await null;
    this.#items.push(item);
    return this.#check(item);
  }
  #check(item) {
    if (!item) throw new RangeError('no item');
    return { item, size: this.size };
  }
  get size() { return this.#items.length; }
  *[Symbol.iterator]() { yield* this.#items; }
  async *later() { for (const item of this.#items) yield item; }
  static async load(ids) {
    const cart = this.make(10);
    for (const id of ids) await cart.add(id);
    return cart;
  }
}

export async function order(ids) {
  try {
    const cart = await Cart.load(ids);
    return [cart.size, cart.handler(3), [...cart]];
  } catch (error) {
    say('caught', error.name, error instanceof RangeError);
    throw error;
  } finally {
    say('finally');
  }
}

function count(n) {
  'use strict';
  if (n === 0) return 0;
  outer: for (let i = 0; i < 3; i++) {
    for (;;) {
      if (i === 1) break outer;
      continue outer;
    }
  }
  return 1 + count(n - 1);
}

const concise = async (a, b) =>
  // a comment
  ({ sum: a + b, text: `
 ${a}
   kept` });

function early(x) {
  if (x) {
    return;
  }
  say('late');
}

function thrower(what) { throw what; }

function overridden() { try { return 'try'; } finally { say('in finally'); } }

function closure() {
  let n = 0;
  function next() { return ++n; }
  next(); next();
  return next;
}

function Old(x) {
  this.x = x;
  this.made = new.target === Old;
}

const nested = (a) => (b) => (c) => a + b + c;

say(await order([1, 2, 3]));
try { await order([1, 0]); } catch (error) { say('out', error.message); }
say(new Cart(1).total(1, { a: 1, tax: 5 }, 7, 8), Cart.prototype.total.length, order.length, order.name);
say(count(3), await concise(1, 2), early(1), early(0), overridden());
const thrown = { odd: true };
try { thrower(thrown); } catch (e) { say(e === thrown); }
say(closure()(), new Old(4), nested(1)(2)(3));
for await (const x of (await Cart.load([7])).later()) say(x);
const results = await Promise.allSettled([order([4]), order([0]), concise(2, 2)]);
say(results.map((r) => r.status));
console.log(log.join('\n'));
