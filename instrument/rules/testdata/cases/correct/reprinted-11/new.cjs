"use strict"

const iconv = require("iconv-lite")
const { trace, SpanStatusCode } = require("@opentelemetry/api")
const tracer = trace.getTracer("feeds")

const LINE = /\r?\n/

function parse(text, options = {}) {
  return tracer.startActiveSpan("feeds.parse", (span) => {
    try {
      const separator = options.separator || ";"
      const lines = text.split(LINE).filter(Boolean)
      span.setAttribute("feeds.lines", lines.length)
      const head = lines.shift().split(separator)
      return lines.map((line) => {
        const cells = line.split(separator)
        return Object.fromEntries(head.map((name, i) => [name, cells[i]]))
      })
    } catch (err) {
      span.recordException(err)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw err
    } finally {
      span.end()
    }
  })
}

function decode(buffer, encoding) {
  return tracer.startActiveSpan("feeds.decode", (span) => {
    try {
      span.setAttribute("feeds.bytes", buffer.length)
      if (!iconv.encodingExists(encoding)) {
        throw new TypeError("unknown encoding: " + encoding)
      }
      return iconv.decode(buffer, encoding)
    } catch (err) {
      span.recordException(err)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw err
    } finally {
      span.end()
    }
  })
}

function* chunks(list, size) {
  for (let i = 0; i < list.length; i += size) {
    yield list.slice(i, i + size)
  }
}

exports.parse = parse
exports.decode = decode
exports.chunks = chunks
