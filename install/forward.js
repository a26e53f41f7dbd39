import { spawn } from "node:child_process"

const program = "aburn-hook"
const args = []

const patience = 500 // ms that a prompt waits for an answer
const lifetime = 2000 // ms that a hook may live; it ends by itself within one second
const whole = 256 * 1024 // characters of a call's input that are sent as they are
const part = 4096 // characters of each text of a larger one, and of an output

// run sends one payload and resolves with what the hook printed, whatever happens.
function run(payload, answers) {
  return new Promise((resolve) => {
    let out = ""
    let timer
    const end = () => {
      clearTimeout(timer)
      resolve(out)
    }
    try {
      const child = spawn(program, args, { stdio: ["pipe", answers ? "pipe" : "ignore", "ignore"], cwd: payload.cwd })
      timer = setTimeout(() => {
        out = ""
        child.kill("SIGKILL")
        end()
      }, lifetime)
      child.on("error", end)
      child.on("close", end)
      child.stdin.on("error", () => {})
      child.stdout?.on("data", (data) => (out += data))
      child.stdin.end(JSON.stringify(payload))
    } catch {
      end()
    }
  })
}

// cut shortens the texts of a value.
function cut(value) {
  if (typeof value === "string") return value.slice(0, part)
  if (Array.isArray(value)) return value.slice(0, 64).map(cut)
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, cut(v)]))
  return value
}

// bounded is a call's input, cut only if it is large.
function bounded(value) {
  return (JSON.stringify(value) ?? "").length > whole ? cut(value) : value
}

function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref?.())
}

