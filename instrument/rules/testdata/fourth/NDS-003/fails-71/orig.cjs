const debug = require('debug')('mailer');
const { promisify } = require('util');

module.exports = {
  transport: null,

  async send(message) {
    const info = await this.transport.sendMail(Object.assign({}, message, { date: new Date() }));
    debug('sent %o', info);
    return info.messageId;
  },

  sendLater: promisify(function (message, done) {
    setTimeout(() => done(null, message), 10);
  }),

  retry: async function retry(times, work) {
    let last;
    while (times-- > 0) {
      try {
        return await work();
      } catch (reason) {
        last = reason;
      }
    }
    throw last;
  },
};
