'use strict';

const Boom = require('@hapi/boom');
const { randomUUID: uuid } = require('node:crypto');

const internals = {};

internals.find = async function (request, h) {
  const { server, params: { id }, query } = request;
  const record = await server.methods.records.get(id);
  if (!record) {
    throw Boom.notFound(`no record ${id}`);
  }
  do {
    record.seen = (record.seen ?? 0) + 1;
  } while (query.twice && record.seen < 2);
  return h.response(record).etag(record.version).code(200);
};

internals.trail = [];

exports.plugin = {
  name: 'records',
  register: async function (server, options) {
    server.method('records.get', (id) => options.store.get(id), { cache: { expiresIn: 6e4, generateTimeout: 2_000 } });
    server.route({ method: 'GET', path: '/records/{id}', handler: internals.find });
    server.ext('onPreResponse', (request, h) => {
      internals.trail.push({ id: uuid(), path: request.path });
      return h.continue;
    });
  },
};

exports.internals = internals;
