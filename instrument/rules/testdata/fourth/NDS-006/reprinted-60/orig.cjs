const { S3Client, GetObjectCommand } = require('@aws-sdk/client-s3')
const sharp = require('sharp')

const s3 = new S3Client({})

exports.handler = async (event, context) => {
  context.callbackWaitsForEmptyEventLoop = false
  const done = []
  for (const { s3: { bucket, object } } of event.Records) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket.name, Key: object.key }))
    const small = await sharp(await Body.transformToByteArray()).resize(64).toBuffer()
    done.push({ key: object.key, bytes: small.byteLength })
  }
  return { statusCode: 200, body: JSON.stringify(done) }
}
