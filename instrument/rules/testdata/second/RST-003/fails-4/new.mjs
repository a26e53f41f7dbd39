import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Job {
  async start(day) {
    return tracer.startActiveSpan('shop.job.night', async (span) => {
      try {
        return await this.work(day, 0);
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async work(day, from) {
    return tracer.startActiveSpan('shop.job.work', async (span) => {
      try {
        const list = await store.open(day);
        for (const order of list.slice(from)) await store.settle(order);
        return list.length;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
