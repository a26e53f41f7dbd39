var net = require('net')
var EventEmitter = require('events').EventEmitter
var inherits = require('util').inherits
const { Trace: trace, SpanStatusCode } = require('@opentelemetry/api')
const tracer = trace.getTracer('shop')

module.exports = Broker

function Broker (opts) {
  if (!new.target) return new Broker(opts)
  EventEmitter.call(this)
  this.peers = Object.create(null)
  this.opts = opts || {}
}
inherits(Broker, EventEmitter)

Broker.prototype.publish = function publish (topic, data) {
  return tracer.startActiveSpan('shop.broker.publish', (span) => {
    try {
      span.setAttribute('shop.topic', String(topic))
      var self = this, sent = 0, key
      for (key in self.peers) {
        if (!(topic in self.peers[key].topics)) continue
        self.peers[key].socket.write(encode(topic, data))
        sent++
      }
      if (sent === 0) self.emit('lost', topic)
      return sent
    } catch (error) {
      span.recordException(error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

Broker.prototype.close = async function () {
  return tracer.startActiveSpan('shop.broker.close', async (span) => {
    try {
      for (var key in this.peers) {
        await new Promise((resolve) => this.peers[key].socket.end(resolve))
        delete this.peers[key]
      }
      if (this.server) { this.server.close(); this.server = null }
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.recordException(error)
      throw error
    } finally {
      span.end()
    }
  })
}

function encode (topic, data) {
  return JSON.stringify([topic, data]) + '\n'
}
