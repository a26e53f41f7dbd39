const { S3Client, GetObjectCommand } = require("@aws-sdk/client-s3");
const sharp = require("sharp");
import { trace, SpanStatusCode } from "@opentelemetry/api";
const tracer = trace.getTracer("shop");

const s3 = new S3Client({});

exports.handler = async (event, context) => {
  return tracer.startActiveSpan("shop.thumbnail.make", async (span) => {
    try {
      span.setAttribute("shop.thumbnail.size", 64);
      context.callbackWaitsForEmptyEventLoop = false;
      const done = [];
      for (const {
        s3: { bucket, object },
      } of event.Records) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket.name, Key: object.key }));
        const small = await sharp(await Body.transformToByteArray())
          .resize(64)
          .toBuffer();
        done.push({ key: object.key, bytes: small.byteLength });
      }
      return { statusCode: 200, body: JSON.stringify(done) };
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
