;(function () {
  'use strict'

  var fs = require('fs')
  var root = this

  function load (file) {
    var text
    try {
      text = fs.readFileSync(file, { encoding: 'utf8' })
    } catch (err) {
      if (err && err.code === 'ENOENT') return {}
      throw err
    }
    var out = {}, lines = text.split(/\r?\n/), i
    for (i = 0; i < lines.length; i += 1) {
      if (lines[i].charAt(0) === '#') { continue }
      var at = lines[i].indexOf('=')
      at > 0 && (out[lines[i].slice(0, at)] = lines[i].slice(at + 1))
    }
    return out
  }

  if (typeof exports !== 'undefined') {
    exports.load = load
  } else {
    root.load = load
  }
}.call(this))
