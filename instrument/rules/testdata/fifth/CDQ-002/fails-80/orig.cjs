var net = require('net')
var EventEmitter = require('events').EventEmitter
var inherits = require('util').inherits

module.exports = Broker

function Broker (opts) {
  if (!new.target) return new Broker(opts)
  EventEmitter.call(this)
  this.peers = Object.create(null)
  this.opts = opts || {}
}
inherits(Broker, EventEmitter)

Broker.prototype.publish = function publish (topic, data) {
  var self = this, sent = 0, key
  for (key in self.peers) {
    if (!(topic in self.peers[key].topics)) continue
    self.peers[key].socket.write(encode(topic, data))
    sent++
  }
  if (sent === 0) self.emit('lost', topic)
  return sent
}

Broker.prototype.close = async function () {
  for (var key in this.peers) {
    await new Promise((resolve) => this.peers[key].socket.end(resolve))
    delete this.peers[key]
  }
  if (this.server) { this.server.close(); this.server = null }
}

function encode (topic, data) {
  return JSON.stringify([topic, data]) + '\n'
}
