import { span, trace } from './dom.mjs';
import { trace as otelTrace, SpanStatusCode } from '@opentelemetry/api';
const otelTracer = otelTrace.getTracer('shop');

export async function render(tracer, error = null) {
  return otelTracer.startActiveSpan('shop.render', async (span) => {
    try {
      const box = span({ class: 'box' });
      if (error) box.append(String(error));
      box.append(await trace(tracer));
      return box;
    } catch (failure) {
      span.recordException(failure);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw failure;
    } finally {
      span.end();
    }
  });
}
