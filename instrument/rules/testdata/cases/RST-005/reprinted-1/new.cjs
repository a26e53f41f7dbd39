const { trace, SpanStatusCode } = require('@opentelemetry/api');
const feeds = require('./feeds');
const log = require('./log');

const tracer = trace.getTracer('sync');

async function sync(source) {
	return tracer.startActiveSpan('sync.source', async active => {
		const list = await feeds.list(source);
		active.end();
		return list.length;
	});
}

async function check(source) {
	return tracer.startActiveSpan('sync.check.all', async span => {
		try {
			const probe = trace.getTracer('sync').startSpan('sync.check');
			const alive = await feeds.ping(source);
			probe.end();
			if (!alive) {
				log.warn({ source }, 'no answer');
			}
			return alive;
		} catch (error) {
			span.recordException(error);
			span.setStatus({ code: SpanStatusCode.ERROR });
			throw error;
		} finally {
			span.end();
		}
	});
}

async function load(source, since) {
	return tracer.startActiveSpan('sync.load', async span => {
		try {
			span.setAttribute('sync.since', since);
			const entries = await feeds.entries(source, { since });
			const fresh = entries.filter(entry => entry.at > since);
			log.info({ fresh: fresh.length }, 'loaded');
			return fresh;
		} catch (error) {
			span.recordException(error);
			span.setStatus({ code: SpanStatusCode.ERROR });
			throw error;
		} finally {
			span.end();
		}
	});
}

module.exports = { sync, check, load };
