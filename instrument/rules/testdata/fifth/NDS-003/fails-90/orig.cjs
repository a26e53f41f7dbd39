const { Worker, parentPort, isMainThread } = require('node:worker_threads')

const pending = new Map()
let next = 0

const call = (worker, method, ...args) =>
  new Promise((resolve, reject) => {
    const id = ++next
    pending.set(id, { resolve, reject })
    worker.postMessage({ id, method, args })
  })

const handle = async ({ id, method, args }) => {
  let answer
  try {
    answer = { id, value: await handle.methods[method](...args) }
  } catch ({ message, code }) {
    answer = { id, failure: { message, code } }
  }
  parentPort.postMessage(answer)
  return answer.failure === undefined
}

handle.methods = Object.assign(Object.create(null), { add: (a, b) => a + b })

async function all (worker, calls) {
  const out = []
  for (const [method, ...args] of calls) {
    out.push(await call(worker, method, ...args))
  }
  return out
}

if (!isMainThread) parentPort.on('message', handle)

module.exports = { call, all, Worker }
