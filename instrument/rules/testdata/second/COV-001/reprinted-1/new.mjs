import { store } from "./store.mjs"
import { trace, SpanStatusCode } from "@opentelemetry/api"
const tracer = trace.getTracer("shop")

export const placeOrder = async id => {
    return tracer.startActiveSpan("shop.order.place", async span => {
        try {
            await store.insert({ id })
            return store.size
        } catch (error) {
            span.recordException(error)
            span.setStatus({ code: SpanStatusCode.ERROR })
            throw error
        } finally {
            span.end()
        }
    })
}

export const shipOrder = async (id, { carrier = "post" } = {}) => {

    const parcel = await store.pack(id)
    parcel.carrier = carrier
    return await store.hand(parcel)
}
