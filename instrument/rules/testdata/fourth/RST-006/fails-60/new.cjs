#!/usr/bin/env node
'use strict';
const fs = require('fs');
const path = require('path');
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const tracer = trace.getTracer('shop');

const usage = `usage: resize [--width N] FILE...
  --width N   the new width
`;

function parse(argv) {
  return tracer.startActiveSpan('shop.args.parse', (span) => {
    try {
      const options = { width: 640, files: [] };
      for (let i = 0; i < argv.length; i++) {
        switch (argv[i]) {
          case '--width':
            options.width = Number(argv[++i]);
            break;
          case '-h':
          case '--help':
            process.stdout.write(usage);
            process.exit(0);
          // falls through
          default:
            options.files.push(path.resolve(argv[i]));
        }
      }
      return options;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function resizeAll(options) {
  return tracer.startActiveSpan('shop.image.resize', (span) => {
    try {
      span.setAttribute('shop.image.kind', 'thumbnail');
      let bytes = 0;
      for (const file of options.files) {
        const data = fs.readFileSync(file);
        const out = file.replace(/(\.[a-z]+)$/i, `-${options.width}$1`);
        fs.writeFileSync(out, data.subarray(0, options.width));
        bytes += data.length;
      }
      return bytes;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

if (require.main === module) {
  const bytes = resizeAll(parse(process.argv.slice(2)));
  console.log('%d bytes', bytes);
}

module.exports = { parse, resizeAll };
