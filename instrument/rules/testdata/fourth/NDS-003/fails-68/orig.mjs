import { Kafka, logLevel } from 'kafkajs';

const kafka = new Kafka({ clientId: 'shop', brokers: ['127.0.0.1:9092'], logLevel: logLevel.ERROR });
const consumer = kafka.consumer({ groupId: 'orders' });

const handlers = {
  async placed({ key, value }) {
    const order = JSON.parse(value.toString());
    await save(key, order);
    return order.items.reduce((sum, { cents, count = 1 }) => sum + cents * count, 0);
  },
  async cancelled({ key }) {
    await save(key, null);
  },
};

async function save(key, value) {
  if (value === null) delete save.store[key];
  else save.store[key] = value;
}
save.store = {};

export async function eachMessage({ topic, partition, message, heartbeat }) {
  const type = message.headers?.type?.toString() ?? 'placed';
  const handler = handlers[type];
  if (!handler) return;
  await heartbeat();
  await handler(message);
}

export const run = async () => {
  await consumer.connect();
  await consumer.subscribe({ topics: ['orders'], fromBeginning: false });
  await consumer.run({ eachMessage });
};
