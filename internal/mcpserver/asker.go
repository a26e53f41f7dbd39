package mcpserver

// Asker is what the client says about who asks, beside the question. It is not verified: it decides which session is meant by
// "this one", and nothing else.
type Asker struct {
	// Session is the session's id, Thread that of the sub-agent in it, or the same. Codex 0.169.0 says them with every call.
	Session, Thread string
	// Call is the id of the tool call in the transcript. Claude Code 2.1.329 says it, and not the session: what that is stands in
	// the environment, as it was when the server was started.
	Call string
}

func askerOf(meta map[string]any) Asker {
	word := func(m map[string]any, key string) string {
		s, _ := m[key].(string)
		return s
	}
	turn, _ := meta["x-codex-turn-metadata"].(map[string]any)
	return Asker{Session: word(turn, "session_id"), Thread: word(turn, "thread_id"), Call: word(meta, "claudecode/toolUseId")}
}
