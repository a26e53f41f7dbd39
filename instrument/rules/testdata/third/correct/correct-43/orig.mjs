import { Mailer } from 'acme-mail';

const mailer = new Mailer({ from: 'shop@example.org' });
const queue = [];

export const sendMail = async ({ user, subject }) => {
  const answer = await retry(3, () => mailer.deliver(user, subject));
  queue.push(answer);
  return answer;
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
