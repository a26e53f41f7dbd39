// aburn records what pi does. `aburn install-hooks` made this file, and `aburn uninstall-hooks` removes it.
// It never throws into pi, and waits for the hook only where that may answer, half a second at most, and at the end.
const textOf = (content) => (typeof content === "string" ? content : (content ?? []).filter((p) => p.type === "text").map((p) => p.text).join("\n"))

export default function (pi) {
  if (process.env.ABURN === "0") return
  let chain = Promise.resolve() // one payload after the other
  let last // the last answer of the model
  let late // an answer of the hook that came after the prompt
  const inputs = new Map() // of open calls

  const send = (event, ctx, fields, answers) => {
    const payload = { hook_event_name: event, session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...fields }
    return (chain = chain.then(() => run(payload, answers)))
  }

  // on subscribes; what a handler throws would be an error of the agent's.
  const on = (name, f) =>
    pi.on(name, async (event, ctx) => {
      try {
        return await f(event, ctx)
      } catch {}
    })

  on("session_start", ({ reason }, ctx) => {
    const header = ctx.sessionManager.getHeader?.()
    const used = (ctx.sessionManager.getEntries?.() ?? []).some((e) => e.type === "message")
    let source = reason
    if (reason === "startup" && used) source = header?.parentSession ? "fork" : "resume" // pi says startup for both
    send("session_start", ctx, { source })
  })
  on("before_agent_start", async ({ prompt, messageType }, ctx) => {
    if (messageType && messageType !== "user") return
    last = undefined
    const sent = send("before_agent_start", ctx, { prompt }, true)
    const answer = await Promise.race([sent, after(patience)])
    if (answer === undefined) sent.then((text) => (late = text))
    const told = [late, answer].map((text) => text && JSON.parse(text).text).filter((text) => typeof text === "string" && text)
    if (answer !== undefined) late = undefined
    if (told.length) return { message: { customType: "aburn", content: told.join("\n"), display: false } }
  })
  const logs = (tool, input) => tool === "bash" && JSON.stringify(input ?? "").includes("aburn") // it may run `aburn log`

  on("tool_execution_start", async ({ toolCallId, toolName, args }, ctx) => {
    inputs.set(toolCallId, args)
    const sent = send("tool_execution_start", ctx, { tool_name: toolName, tool_use_id: toolCallId, tool_input: bounded(args) })
    if (logs(toolName, args)) await Promise.race([sent, after(patience)]) // the call's own entries come behind its start
  })
  on("tool_execution_end", ({ toolCallId, toolName, result, isError, durationMs }, ctx) => {
    const input = inputs.get(toolCallId)
    inputs.delete(toolCallId)
    const response = { failed: isError === true, ran: durationMs !== undefined, exit: result?.structuredContent?.exit_code }
    const told = logs(toolName, input) // its output may hold entries
    if (isError || told) response.output = textOf(result?.content).slice(0, told ? whole : part)
    send("tool_execution_end", ctx, {
      tool_name: toolName, tool_use_id: toolCallId, tool_input: bounded(input), tool_response: response, duration_ms: durationMs,
    })
  })
  on("message_end", ({ message }) => {
    if (message?.role === "assistant") last = message
  })
  on("agent_settled", ({ aborted }, ctx) => {
    const fields = { aborted: aborted === true }
    if (last?.stopReason === "error") fields.error = cut(last.errorMessage ?? "")
    else fields.last_assistant_message = textOf(last?.content).slice(0, part)
    send("agent_settled", ctx, fields)
  })
  on("session_compact", ({ reason }, ctx) => {
    send("session_compact", ctx, { trigger: reason })
  })
  on("session_shutdown", async ({ reason }, ctx) => {
    send("session_shutdown", ctx, { reason })
    await Promise.race([chain, after(lifetime)])
  })
}
