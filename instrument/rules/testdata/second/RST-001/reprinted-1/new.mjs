import { store } from "./store.mjs";
import { trace, SpanStatusCode } from "@opentelemetry/api";
const tracer = trace.getTracer("shop");

export async function placeOrder(id, name) {
  await store.insert({ id, name: initials(name) });
  return store.size;
}

const initials = (name) => {
  return tracer.startActiveSpan(
    "shop.text.clean",
    (span) => {

      try {
        const parts = name.split(" ");
        return parts.map((part) => part[0]).join("");
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  );
};
