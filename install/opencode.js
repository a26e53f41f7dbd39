// aburn records what opencode does. `aburn install-hooks` made this file, and `aburn uninstall-hooks` removes it.
// It never throws into opencode, and waits for the hook only where that may answer, half a second at most.
// recorder queues payloads by session, and tells each event once, whichever version of opencode it comes from.
function recorder(directory) {
  const sessions = new Map() // id → { parent, agent, busy, failed, late }
  const calls = new Map() // open calls: id → { tool, input }
  const chains = new Map() // root session → the end of its queue

  const session = (id) => sessions.get(id) ?? sessions.set(id, {}).get(id)
  const root = (id) => {
    for (let n = 0; n < 16 && sessions.get(id)?.parent; n++) id = sessions.get(id).parent
    return id
  }

  // send queues a payload behind the others of its session.
  const send = (event, id, fields, answers) => {
    const top = root(id)
    const payload = { hook_event_name: event, session_id: top, cwd: session(id).directory ?? directory, ...fields }
    if (top !== id) Object.assign(payload, { agent_id: id, agent_type: session(id).agent ?? "" })
    const sent = (chains.get(top) ?? Promise.resolve()).then(() => run(payload, answers))
    chains.set(top, sent)
    return sent
  }

  const started = (info) => {
    const known = sessions.has(info.id)
    Object.assign(session(info.id), { parent: info.parentID, agent: info.agent })
    if (info.parentID) send("subagent.created", info.id, {})
    else if (!known) send("session.created", info.id, { source: "startup", version: info.version })
  }

  const called = (id, callID, tool, input) => {
    calls.set(callID, { tool, input })
    send("tool.execute.before", id, { tool_name: tool, tool_use_id: callID, tool_input: bounded(input) })
  }

  const ended = (tool) => {
    const { callID, state } = tool
    if (!calls.delete(callID)) return
    const exit = state.metadata?.exit
    const response = { status: state.status, exit, session: state.metadata?.sessionId, error: cut(state.error) }
    if (tool.tool === "bash" || tool.tool === "shell") { // whose output may hold entries of `aburn log`, or say why it failed
      const logs = JSON.stringify(state.input ?? "").includes("aburn")
      if (logs || exit !== 0) response.output = state.output?.slice(0, logs ? whole : part)
    }
    const time = state.time?.end - state.time?.start
    send("tool.ended", tool.sessionID, {
      tool_name: tool.tool, tool_use_id: callID, tool_input: bounded(state.input), tool_response: response, duration_ms: time >= 0 ? time : undefined,
    })
  }

  const idle = (id) => {
    const s = session(id)
    if (s.parent) {
      if (s.busy) send("subagent.idle", id, {})
    } else if (s.busy && !s.failed) send("session.idle", id, {})
    s.busy = s.failed = false
  }

  const failed = (id, error) => {
    if (!id || !sessions.has(id)) return
    session(id).failed = true
    send("session.error", id, { error: error?.name, message: cut(error?.data?.message) })
  }

  const asked = ({ sessionID, tool, permission, metadata }) => {
    const call = calls.get(tool?.callID)
    send("permission.asked", sessionID, { tool_name: call?.tool ?? permission, tool_input: bounded(call?.input ?? metadata ?? {}) })
  }

  const closed = async () => {
    for (const [id, s] of sessions) if (!s.parent) send("dispose", id, {})
    await Promise.race([Promise.all(chains.values()), after(2 * lifetime)])
  }

  return { sessions, calls, session, root, send, started, called, ended, idle, failed, asked, closed }
}

// quietly catches everything: what a hook throws would fail opencode's own work.
const quietly = (f) => async (...values) => {
  try {
    return await f(...values)
  } catch {}
}

// Aburn is the plugin for opencode 1.
export const Aburn = async ({ directory }) => {
  if (process.env.ABURN === "0") return {}
  const { sessions, session, root, send, started, called, ended, idle, failed, asked, closed } = recorder(directory)

  const heard = ({ type, properties: p }) => {
    switch (type) {
      case "session.created":
        return started(p.info)
      case "message.part.updated":
        return p.part.type === "tool" && ["completed", "error"].includes(p.part.state.status) && ended(p.part)
      case "session.idle":
        return sessions.has(p.sessionID) && idle(p.sessionID)
      case "session.error":
        return failed(p.sessionID, p.error)
      case "permission.asked":
        return asked(p)
      case "session.compacted":
        return send("session.compacted", p.sessionID, {})
    }
  }

  return {
    event: quietly(({ event }) => void heard(event)),
    "chat.message": quietly(async (input, output) => {
      const id = input.sessionID
      const text = output.parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      const said = []
      if (!sessions.has(id)) said.push(send("session.resumed", id, { source: "resume" }, true))
      session(id).busy = true
      said.push(send("chat.message", id, { prompt: text, message_id: output.message.id }, true))
      const s = session(id)
      const all = Promise.all(said)
      const answers = await Promise.race([all, after(patience)])
      if (!answers) all.then((late) => (s.late = late)) // told with the next prompt
      const ready = [...(s.late ?? []), ...(answers ?? [])]
      s.late = undefined
      for (const answer of ready) {
        const told = answer && JSON.parse(answer).text
        const last = output.parts.at(-1)?.id ?? "prt_000000000000"
        if (told && typeof told === "string") output.parts.push({ id: last.slice(0, 16) + "z".repeat(13) + output.parts.length % 10, sessionID: id, messageID: output.message.id, type: "text", text: told, synthetic: true })
      }
    }),
    "tool.execute.before": quietly((input, output) => called(input.sessionID, input.callID, input.tool, output.args)),
    "shell.env": quietly((input, output) => {
      output.env.ABURN_OPENCODE_SESSION = root(input.sessionID)
    }),
    dispose: quietly(closed),
  }
}

// setup is the plugin for OpenCode 2, which tells most of it as one stream of events. A prompt is in the stream when it has entered the
// session, so no answer of the hook reaches it.
async function setup(ctx) {
  if (process.env.ABURN === "0") return
  const { sessions, calls, session, send, started, called, ended, idle, failed, asked, closed } = recorder(ctx.location?.directory ?? process.cwd())
  const since = Date.now()
  const names = new Map() // call → its tool, which only the first event of a call says
  const abort = new AbortController()

  // known looks up a session that no event has named before.
  const known = async (id) => {
    if (sessions.has(id)) return
    const info = (await Promise.race([quietly(() => ctx.session.get({ sessionID: id }))(), after(patience)])) ?? {}
    const fresh = info.parentID || new Date(info.time?.created) >= since
    if (fresh) started({ ...info, id })
    session(id).directory = info.location?.directory
    if (!fresh) send("session.resumed", id, { source: "resume" })
  }

  const settled = (id, callID, state, { metadata, structured, content }) => {
    const call = calls.get(callID)
    const meta = metadata ?? structured ?? {}
    const output = content?.find((part) => part.type === "text")?.text
    ended({
      callID, tool: call?.tool, sessionID: id,
      state: { ...state, input: call?.input, output, metadata: { exit: meta.timeout ? null : meta.exit, sessionId: meta.sessionID } },
    })
  }

  const stopped = (id, error) => {
    session(id).busy = true
    if (error) failed(id, error)
    idle(id)
  }

  const heard = async ({ type, data: d }) => {
    const id = d?.sessionID
    const callID = d?.id ?? d?.callID
    switch (type) {
      case "session.created":
      case "session.forked":
        if (sessions.has(id)) return
        started({ ...d, id, parentID: type === "session.created" ? d.parentID : undefined })
        session(id).directory = d.location?.directory
        return
      case "session.inbox.enqueued":
        await known(id)
        if (d.item?.type === "user") send("chat.message", id, { prompt: d.item.payload?.text ?? "", message_id: d.inboxID })
        return
      case "session.execution.started":
        await known(id)
        session(id).busy = true
        return
      case "session.tool.input.started":
        names.set(callID, d.name)
        return
      case "session.tool.called":
        await known(id)
        called(id, callID, names.get(callID) ?? d.name ?? "", d.input)
        names.delete(callID)
        return
      case "session.tool.success":
        return settled(id, callID, { status: "completed" }, d)
      case "session.tool.failed":
        return settled(id, callID, { status: "error", error: d.error?.type === "aborted" ? "Tool execution aborted" : d.error?.message }, d)
      case "permission.asked":
        await known(id)
        return asked({ sessionID: id, tool: { callID: d.source?.id ?? d.source?.callID }, permission: d.action, metadata: { resources: d.resources } })
      case "session.execution.succeeded":
        return stopped(id)
      case "session.execution.failed":
        return stopped(id, { name: d.error?.type, data: { message: d.error?.message } })
      case "session.execution.interrupted":
        return stopped(id, { name: "MessageAbortedError" })
      case "session.compaction.ended":
        await known(id)
        return send("session.compacted", id, {})
    }
  }

  quietly(async () => {
    for await (const event of ctx.event.subscribe({ signal: abort.signal })) await quietly(heard)(event)
  })()
  return quietly(async () => {
    abort.abort()
    await closed()
  })
}

// OpenCode 2 takes id and setup, opencode 1 takes server, and an opencode 1 that looks at no default takes Aburn.
export default { id: "aburn", server: Aburn, setup }
