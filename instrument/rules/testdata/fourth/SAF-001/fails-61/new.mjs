import { span, trace } from './dom.mjs';
import { trace as otelTrace, SpanStatusCode } from '@opentelemetry/api';
const tracer = otelTrace.getTracer('shop');

export async function render(tracer, error = null) {
  return tracer.startActiveSpan('shop.render', async (otelSpan) => {
    try {
      const box = span({ class: 'box' });
      if (error) box.append(String(error));
      box.append(await trace(tracer));
      return box;
    } catch (failure) {
      otelSpan.recordException(failure);
      otelSpan.setStatus({ code: SpanStatusCode.ERROR });
      throw failure;
    } finally {
      otelSpan.end();
    }
  });
}
