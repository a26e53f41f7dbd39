import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function rateOf(currency) {
  return tracer.startActiveSpan('shop.rates.read', async (span) => {
    try {
      const response = await fetch('https://rates.example/' + currency);
      return response.status;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
