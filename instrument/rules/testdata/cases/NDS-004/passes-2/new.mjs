import { createHmac, timingSafeEqual } from 'node:crypto';
import { enqueue } from './queue.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('hooks');

const handlers = {
  async push(event) {
    return tracer.startActiveSpan('hooks.push', async (span) => {
      try {
        const { ref, commits } = event;
        span.setAttribute('hooks.commits', commits.length);
        if (ref.startsWith('refs/tags/')) return 'tag';
        // One job a commit: the builder wants them apart.
        await Promise.all(commits.map((c) => enqueue('build', { ref, sha: c.id })));
        return `queued ${commits.length}
jobs`;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
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

export default async function webhook(req, res, { quiet = false } = {}) {
  return tracer.startActiveSpan('hooks.receive', async (span) => {
    try {
      const kind = req.get('x-event');
      span.setAttribute('hooks.known', kind in handlers);
      if (!verify(req.rawBody, req.get('x-signature'), process.env.HOOK_SECRET)) {
        res.status(quiet ? 404 : 401).end();
        return;
      }
      const handle = handlers[kind];
      if (!handle) {
        res.status(202).end();
        return;
      }
      res.json({ answer: await handle(req.body) });
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
