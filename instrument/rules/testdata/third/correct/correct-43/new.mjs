import { Mailer } from 'acme-mail';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const mailer = new Mailer({ from: 'shop@example.org' });
const queue = [];

export const sendMail = async ({ user, subject }) => {
  return tracer.startActiveSpan('shop.mail.send', async (span) => {
    try {
      span.setAttribute('shop.user.id', String(user));
      const answer = await retry(3, () => mailer.deliver(user, subject));
      queue.push(answer);
      return answer;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};

async function retry(times, work) {
  for (let i = 1; ; i++) {
    try {
      return await work();
    } catch (cause) {
      if (i === times) throw cause;
    }
  }
}

export function pending() {
  return queue.filter((answer) => !answer.sent).length;
}
