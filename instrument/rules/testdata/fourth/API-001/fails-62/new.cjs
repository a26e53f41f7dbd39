"use strict";

const cron = require("node-cron");
const lock = require("./lock");
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const { logs } = require('@opentelemetry/api-logs');
const tracer = trace.getTracer('shop');

let running = false;

async function nightly() {
    return tracer.startActiveSpan('shop.nightly', async (span) => {
        try {
            if (running) {
                return false;
            }
            running = true;
            try {
                const key = await lock.take("nightly");
                if (!key) return false;
                await Promise.allSettled([cleanSessions(), rotateKeys(new Date())]);
                await lock.give(key);
            } catch {
                return false;
            } finally {
                running = false;
            }
            return true;
        } catch (error) {
            span.recordException(error);
            span.setStatus({ code: SpanStatusCode.ERROR });
            throw error;
        } finally {
            span.end();
        }
    });
}

async function cleanSessions() {
    return tracer.startActiveSpan('shop.sessions.clean', async (span) => {
        try {
            span.setAttribute('shop.sessions.kind', 'old');
            const old = await lock.store.list({ before: Date.now() - 864e5 });
            for (const { id } of old) await lock.store.remove(id);
        } catch (error) {
            span.recordException(error);
            span.setStatus({ code: SpanStatusCode.ERROR });
            throw error;
        } finally {
            span.end();
        }
    });
}

async function rotateKeys(when) {
    await lock.store.rotate(when.toISOString());
}

cron.schedule("0 3 * * *", nightly);

module.exports = nightly;
module.exports.cleanSessions = cleanSessions;
