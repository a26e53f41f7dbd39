import express from 'express';
import { trace } from '@opentelemetry/api';
import db, { query as ask } from './db.js';

const app = express();
const handlers = {
  list: async (req, res) => { res.json(await ask('select 1')); },
  async get(req, res) { res.json(await db.get(req.params.id)); },
  nested: { deep: function () {} },
};

// 😀 the order
export async function placeOrder(order, span) {
  const tracer = 1;
  {
    const inner = 2;
    use(inner);
  }
  var hoisted = order.id;
  const local = await db.insert(order);
  return audit(local, () => span);
}

app.get('/orders', async (req, res) => { res.send(''); });
app.use(function named(req, res, next) { next(); });

class Basket {
  static make = () => new Basket();
  #secret() {}
  async add(item) { return item; }
  get size() { return 0; }
}

function audit(x) { return x; }
export { Basket, audit as check, handlers };
export default () => app;
