import { Kafka, logLevel } from "kafkajs";
import { trace, SpanStatusCode } from "@opentelemetry/api";
const tracer = trace.getTracer("shop");

const kafka = new Kafka({ clientId: "shop", brokers: ["127.0.0.1:9092"], logLevel: logLevel.ERROR });
const consumer = kafka.consumer({ groupId: "orders" });

const handlers = {
  async placed({ key, value }) {
    return tracer.startActiveSpan("shop.order.placed", async (span) => {
      try {
        const order = JSON.parse(value.toString());
        await save(key, order);
        return order.items.reduce((sum, { cents, count = 1 }) => sum + cents * count, 0);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.recordException(error);
        throw error;
      } finally {
        span.end();
      }
    });
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
  return tracer.startActiveSpan("shop.message.handle", async (span) => {
    try {
      span.setAttribute("shop.topic", String(topic));
      span.setAttribute("shop.partition", Number(partition));
      const type = message.headers?.type?.toString() ?? "placed";
      const handler = handlers[type];
      if (!handler) return;
      await heartbeat();
      await handler(message);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export const run = async () => {
  await consumer.connect();
  await consumer.subscribe({ topics: ["orders"], fromBeginning: false });
  await consumer.run({ eachMessage });
};
