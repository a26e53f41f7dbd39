var http = require('http'),
	url = require('url')

exports.proxy = async function (req, res) {
	var target = url.parse(req.url, true),
		body = ''
	for await (var part of req) body += part
	if (!body) { res.statusCode = 400; return res.end() }
	var answer = await exports.forward(target, body)
	res.writeHead(answer.status, answer.headers)
	res.end(answer.text)
}

exports.forward = async function (target, body) {
	return { status: 200, headers: {}, text: body.toUpperCase() + target.path }
}
