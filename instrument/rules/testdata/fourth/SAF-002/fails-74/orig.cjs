var http = require('http'),
	url = require('url')

exports.proxy = function (req, res) {
	var target = url.parse(req.url, true),
		body = ''
	for (var part of req) body += part
	if (!body) { res.statusCode = 400; return res.end() }
	return exports.forward(target, body).then(function (answer) {
	res.writeHead(answer.status, answer.headers)
	res.end(answer.text)
	})
}

exports.forward = async function (target, body) {
	return { status: 200, headers: {}, text: body.toUpperCase() + target.path }
}
