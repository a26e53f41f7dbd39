import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

function span(a, b) {
  return b - a;
}

export class Ruler {
  async measure(a, b) {
    return tracer.startActiveSpan('ruler.measure', async (span) => {
      try {
        await store.insert(a);
        return span(a, b);
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
