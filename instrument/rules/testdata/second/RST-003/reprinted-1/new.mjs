import { createOrder } from "./orders.mjs";
import { trace, SpanStatusCode } from "@opentelemetry/api";
const tracer = trace.getTracer("shop");

export const submit = async (body, user = "guest") => {
	return tracer.startActiveSpan("shop.web.request", async (span) => {

		try {
			return await createOrder(
				{ ...body, user, at: Number(body.at ?? 0) },
				`web-${user}`
			);
		} catch (error) {
			span.recordException(error);
			span.setStatus({ code: SpanStatusCode.ERROR });
			throw error;
		} finally {
			span.end();
		}
	});
};
