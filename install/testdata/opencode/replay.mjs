// replay.mjs PLUGIN SCENE plays the events that opencode gave to a plugin, and prints what this one made of them.
import { readFileSync } from "node:fs"

const [plugin, scene, directory] = process.argv.slice(2)
const { Aburn } = await import(plugin)
const hooks = await Aburn({ directory, worktree: directory })
for (const line of readFileSync(scene, "utf8").trim().split("\n")) {
  const { hook_event_name: name, event, input, output } = JSON.parse(line)
  if (name.startsWith("event.")) await hooks.event?.({ event })
  else {
    if (name === "shell.env") output.env = {}
    await hooks[name]?.(input, output)
  }
  if (name === "chat.message") console.log(JSON.stringify(output.parts))
  if (name === "shell.env") console.log(JSON.stringify(output.env))
}
