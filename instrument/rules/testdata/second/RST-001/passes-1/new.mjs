import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function trips(stops) {
  return [planned(stops, 0), planned(stops, 1)];
}

function planned(stops, from) {
  return tracer.startActiveSpan('shop.plan.route', (span) => {
    try {
      const left = stops.slice(from);
      const way = [];
      let here = left.shift();
      let length = 0;
      while (left.length > 0) {
        left.sort((a, b) => Math.abs(a - here) - Math.abs(b - here));
        length += Math.abs(left[0] - here);
        here = left.shift();
        way.push(here);
      }
      const mean = length / way.length;
      return { way, length, mean };
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
