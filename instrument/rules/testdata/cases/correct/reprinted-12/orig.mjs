import { createHmac, timingSafeEqual } from 'node:crypto';
import { enqueue } from './queue.js';

const handlers = {
  async push(event) {
    const { ref, commits } = event;
    if (ref.startsWith('refs/tags/')) return 'tag';
    // One job a commit: the builder wants them apart.
    await Promise.all(commits.map((c) => enqueue('build', { ref, sha: c.id })));
    return `queued ${commits.length}
jobs`;
  },

  async ping() {
    return 'pong';
  },
};

function verify(body, signature, secret) {
  const wanted = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature, 'hex');
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

export default async function webhook(req, res) {
  const kind = req.get('x-event');
  if (!verify(req.rawBody, req.get('x-signature'), process.env.HOOK_SECRET)) {
    res.status(401).end();
    return;
  }
  const handle = handlers[kind];
  if (!handle) {
    res.status(202).end();
    return;
  }
  res.json({ answer: await handle(req.body) });
}
