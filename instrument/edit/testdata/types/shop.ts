import { readFile } from 'node:fs/promises';

export interface Order { id: string; items: string[]; note?: string }
export type State = { kind: 'open'; since: Date } | { kind: 'done' };

export async function load(path: string): Promise<Order> {
  const text = await readFile(path, 'utf8');
  return JSON.parse(text) as Order;
}

export function state(order: Order): State {
  if (order.items.length === 0) {
    return { kind: 'done' };
  }
  return { kind: 'open', since: new Date() };
}

export const isOrder = (x: unknown): x is Order => typeof x === 'object' && x !== null && 'id' in x;

export function must(x: unknown): asserts x is Order {
  if (!isOrder(x)) throw new TypeError('no order');
}

export const notes = <T extends Order>(orders: T[]): string[] => orders.map((o) => o.note!).filter(Boolean);

export const tuple = (a: number): [number, string] => [a, 'x'];

export class Shop<T extends Order> {
  private readonly orders = new Map<string, T>();
  constructor(protected_: T[] = []) {
    for (const o of protected_) this.orders.set(o.id, o);
  }

  find(id: string): T | undefined;
  find(id: string, fallback: T): T;
  find(id: string, fallback?: T): T | undefined {
    return this.orders.get(id) ?? fallback;
  }

  async each(f: (order: T) => void | Promise<void>): Promise<void> {
    for (const o of this.orders.values()) await f(o);
  }

  chain(): this {
    return this;
  }
}

export function mode(n: number): 'small' | 'large' {
  return n > 3 ? 'large' : 'small';
}

export default async function main(): Promise<number> {
  const shop = new Shop<Order>([{ id: 'a', items: [] }]);
  await shop.each(async (o) => { must(o); });
  return shop.chain().find('a') === undefined ? 1 : 0;
}
