// replay.mjs EXTENSION SCENE DIRECTORY plays the events that pi gave to an extension, and prints what this one made of each prompt.
import { readFileSync } from "node:fs"

const [extension, scene, directory] = process.argv.slice(2)
const handlers = new Map()
const load = (await import(extension)).default
load({ on: (name, handler) => handlers.set(name, handler) })
let entries = []
for (const line of readFileSync(scene, "utf8").trim().split("\n")) {
  const { name, session, mode, event } = JSON.parse(line)
  const sessionManager = {
    getSessionId: () => session,
    getEntries: () => entries,
    getHeader: () => ({ type: "session", id: session }),
  }
  const answer = await handlers.get(name)?.(event, { cwd: directory, mode, sessionManager })
  if (name === "before_agent_start") console.log(JSON.stringify(answer ?? null))
  if (name === "agent_settled") entries = [{ type: "message" }]
}
