const dns = require('node:dns').promises

module.exports = async function resolveAll () {
  const hosts = Array.prototype.slice.call(arguments)
  const seen = Object.create(null)
  await Promise.all(hosts.map(async function (host) {
    try {
      seen[host] = (await dns.lookup(host)).address
    } catch (e) {
      seen[host] = null
    }
  }))
  return seen
}

module.exports.resolveOne = async host => (await module.exports(host))[host]
