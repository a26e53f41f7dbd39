import fastify from "fastify";
import { z } from "zod";
import { loadProduct, searchProducts } from "./products.js";
import {
    trace,
    SpanKind,
    SpanStatusCode,
} from "@opentelemetry/api";
const tracer = trace.getTracer("catalog");

const Query = z.object({
    text: z.string(),
    limit: z.coerce.number().default(20),
});

export async function getProduct(request, reply) {
    return tracer.startActiveSpan(
        "catalog.product.get",
        { kind: SpanKind.SERVER },
        async (span) => {
            try {
                const { sku } = request.params;
                span.setAttribute(
                    "catalog.product.sku",
                    sku,
                );
                const product = await loadProduct(sku);
                if (product === undefined) {
                    return reply
                        .code(404)
                        .send({ error: "not found" });
                }
                return product;
            } catch (error) {
                span.recordException(error);
                span.setStatus({
                    code: SpanStatusCode.ERROR,
                });
                throw error;
            } finally {
                span.end();
            }
        },
    );
}

export const search = async (request) => {
    return tracer.startActiveSpan(
        "catalog.search",
        { kind: SpanKind.SERVER },
        async (span) => {
            try {
                const query = Query.parse(request.query);
                const found = await searchProducts(
                    query.text,
                    query.limit,
                );
                span.setAttribute(
                    "catalog.search.hits",
                    found.length,
                );
                return {
                    hits: found,
                    next: found.length === query.limit,
                };
            } catch (error) {
                span.recordException(error);
                span.setStatus({
                    code: SpanStatusCode.ERROR,
                });
                throw error;
            } finally {
                span.end();
            }
        },
    );
};

export function build(options) {
    const app = fastify(options);
    app.get("/products/:sku", getProduct);
    app.get("/search", search);
    return app;
}
