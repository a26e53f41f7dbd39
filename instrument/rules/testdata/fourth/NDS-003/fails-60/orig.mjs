import express from 'express';
import { z } from 'zod';
import * as store from './store.mjs';

const router = express.Router();

const Body = z.object({ title: z.string().min(1), price: z.number().positive() });

export async function createItem(req, res, next) {
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
}

export async function removeItem(req, res) {
  const removed = await store.remove(req.params.id);
  res.sendStatus(removed ? 204 : 404);
}

router.post('/items', createItem);
router.delete('/items/:id', removeItem);

export default router;
