import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const run = promisify(execFile);

async function settle(day, { dry = false } = {}) {
  return tracer.startActiveSpan('shop.batch.night', async (span) => {
    try {
      const open = await store.open(day);
      span.setAttribute('shop.order.count', open.length);
      for (const order of open) {
        if (!dry) await store.settle(order);
      }
      await archive(day);
      return open.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

const archive = async (day) => {
  const { stdout } = await run('tar', ['czf', `${day}.tgz`, day]);
  return stdout;
};

export default settle;
