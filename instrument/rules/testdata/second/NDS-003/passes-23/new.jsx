import { save } from './save.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

// A button that keeps what was typed.
export function Button({ id, children, ...rest }) {
  const click = async () => {
    return tracer.startActiveSpan('shop.click', async (span) => {
      try {
        await save(id);
        await save(null);
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
  return (
    <>
      {/* the only one */}
      <button {...rest} onClick={click}>
        Save {id} &amp; close
      </button>
      {children}
    </>
  );
}
