import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeOrder } from '../src/order.js';

const file = async () => join(await mkdtemp(join(tmpdir(), 'shop-')), 'ledger');

test('places an order', async () => {
  const ledger = await file();
  assert.equal(await placeOrder({ id: 'o-1', items: [{ price: 250, quantity: 2 }] }, ledger), 500);
  assert.match(await readFile(ledger, 'utf8'), /"sum":500/);
});

test('refuses an empty order', async () => {
  await assert.rejects(placeOrder({ id: 'o-2', items: [] }, await file()), /needs an item/);
});
