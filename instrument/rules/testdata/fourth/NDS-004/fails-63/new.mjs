import express from 'express';
import { z } from 'zod';
import * as store from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const router = express.Router();

const Body = z.object({ title: z.string().min(1), price: z.number().positive() });

export async function createItem(req, res, next, span) {
  return tracer.startActiveSpan('shop.item.create', async (span) => {
    try {
      span.setAttribute('shop.route', '/items');
      const parsed = Body.safeParse(req.body);
      if (!parsed.success) {
        return res.status(422).json({ errors: parsed.error.issues });
      }
      try {
        const item = await store.insert({ ...parsed.data, owner: req.session.userId });
        res.status(201).location(`/items/${item.id}`).json(item);
      } catch (cause) {
        if (cause.code === '23505') {
          res.status(409).json({ error: 'duplicate' });
          return;
        }
        next(cause);
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function removeItem(req, res) {
  return tracer.startActiveSpan('shop.item.remove', async (span) => {
    try {
      span.setAttribute('shop.item.id', req.params.id);
      const removed = await store.remove(req.params.id);
      res.sendStatus(removed ? 204 : 404);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.recordException(error);
      throw error;
    } finally {
      span.end();
    }
  });
}

router.post('/items', createItem);
router.delete('/items/:id', removeItem);

export default router;
