import def, { a, b as c, "odd name" as odd } from './one.js';
import * as all from './two.js';
import './effect.js';
import data from './data.json' with { type: 'json' };
export { a, c as renamed, odd as "other name" };
export * from './three.js';
export * as four from './four.js';
export { x as default, y } from './five.js';
export const one = 1, { two, three: [four2 = 4, ...rest] } = all;
export let fn = async () => { await import('./lazy.js'); };
export function place(order, { id, ...others } = {}, ...more) { return [order, id, others, more]; }
export async function* stream() { yield* all; for await (const x of all) yield x; }
export class Cart extends def {
  static #count = 0;
  #items = [];
  static { Cart.#count = 1; }
  constructor() { super(); this.#items.push(new.target, import.meta.url); }
  get size() { return this.#items.length; }
  set size(n) { this.#items.length = n; }
  async add(item) { return super.add?.(item) ?? #items in this; }
  static from = async (x) => new Cart(x);
  *[Symbol.iterator]() { yield* this.#items; }
  'quoted name'() {}
  async *#hidden() {}
}
const top = await def;
using file = top.open();
