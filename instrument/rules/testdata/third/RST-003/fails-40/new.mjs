import { render } from './render.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Page {
  async show(name, options) {
    return tracer.startActiveSpan('shop.web.request', async (span) => {
      try {
        return render(name, { ...options, page: this });
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
