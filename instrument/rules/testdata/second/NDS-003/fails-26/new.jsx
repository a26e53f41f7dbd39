import { save } from './save.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function Button({ id }) {
  const click = async () => {
    return tracer.startActiveSpan('shop.click', async (span) => {
      try {
        await save(id);
        return id;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
  return <button onClick={() => click()}>Save {id}</button>;
}
