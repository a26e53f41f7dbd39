"use strict";

const cron = require("node-cron");
const lock = require("./lock");

let running = false;

async function nightly() {
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
}

async function cleanSessions() {
    const old = await lock.store.list({ before: Date.now() - 864e5 });
    for (const { span } of old) await lock.store.remove(span);
}

async function rotateKeys(when) {
    await lock.store.rotate(when.toISOString());
}

cron.schedule("0 3 * * *", nightly);

module.exports = nightly;
module.exports.cleanSessions = cleanSessions;
