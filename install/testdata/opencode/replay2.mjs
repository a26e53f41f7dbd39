// replay2.mjs PLUGIN SCENE DIRECTORY plays events of OpenCode 2 to a plugin, as its host does it: by an object with id and setup.
import { readFileSync } from "node:fs"

const [plugin, scene, directory] = process.argv.slice(2)
const { id, setup } = (await import(plugin)).default
if (id !== "aburn") throw new Error(`the id is ${id}`)
const events = readFileSync(scene, "utf8").trim().split("\n").map((line) => JSON.parse(line))
let ended
const played = new Promise((resolve) => (ended = resolve))
const context = {
  location: { directory },
  event: {
    async *subscribe({ signal }) {
      for (const event of events) if (!signal.aborted) yield event
      ended()
    },
  },
  session: {
    async get({ sessionID }) {
      if (sessionID === "ses_gone") throw new Error("no such session")
      return { id: sessionID, location: { directory }, time: { created: 1793000000000 } }
    },
  },
}
const cleanup = await setup(context)
if (cleanup) await played.then(cleanup)
