import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "./redis.mjs";
import { trace, SpanStatusCode } from "@opentelemetry/api";
const tracer = trace.getTracer("shop");

export class Worker {
    #redis = new Redis();
    #running = false;
    static attempts = 3;

    constructor({ queue, concurrency = 2, onError = console.error }) {
        this.queue = queue;
        this.concurrency = concurrency;
        this.onError = onError;
    }

    get idle() {
        return tracer.startActiveSpan("shop.idle", span => {
            try {
                return !this.#running;
            } catch (error) {
                span.recordException(error);
                span.setStatus({ code: SpanStatusCode.ERROR });
                throw error;
            } finally {
                span.end();
            }
        });
    }

    async start() {
        this.#running = true;
        while (this.#running) {
            const job = await this.#redis.blpop(this.queue, 5);
            if (job === null) continue;
            await this.#handle(job).catch(failure => this.onError(failure));
        }
    }

    async #handle(job) {
        return tracer.startActiveSpan("shop.job.handle", async span => {
            try {
                span.setAttribute("shop.queue", String(this.queue));
                let attempt = 0;
                for (;;) {
                    try {
                        return await this.process(job);
                    } catch (failure) {
                        attempt += 1;
                        if (attempt >= Worker.attempts) throw failure;
                        await sleep(2 ** attempt * 100);
                    }
                }
            } catch (error) {
                span.recordException(error);
                span.setStatus({ code: SpanStatusCode.ERROR });
                throw error;
            } finally {
                span.end();
            }
        });
    }

    async process(job) {
        throw new TypeError(`no processor for ${job.type}`);
    }

    stop() {
        this.#running = false;
        this.#redis.quit();
    }
}
