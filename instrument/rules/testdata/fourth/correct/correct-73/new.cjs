var http = require('http'),
	url = require('url')
const { trace, SpanStatusCode } = require('@opentelemetry/api')
const tracer = trace.getTracer('shop')

exports.proxy = async function (req, res) {
	return tracer.startActiveSpan('shop.proxy', async (span) => {
		try {
			var target = url.parse(req.url, true),
				body = ''
			for await (var part of req) body += part
			if (!body) { res.statusCode = 400; return res.end() }
			var answer = await exports.forward(target, body)
			res.writeHead(answer.status, answer.headers)
			res.end(answer.text)
		} catch (error) {
			span.recordException(error)
			span.setStatus({ code: SpanStatusCode.ERROR })
			throw error
		} finally {
			span.end()
		}
	})
}

exports.forward = async function (target, body) {
	return { status: 200, headers: {}, text: body.toUpperCase() + target.path }
}
