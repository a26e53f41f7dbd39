package main

// codexVariables are what Codex tells the commands that its model runs. Read on
// the real 0.169.0: the session is the root's, as in its hooks; the thread of a
// sub-agent is its agent id there, and the call its tool_use_id.
type codexVariables struct{ session, agent, call string }

func codexOf(env func(string) string) codexVariables {
	v := codexVariables{session: env("CODEX_SESSION_ID"), call: env("CODEX_TOOL_CALL_ID")}
	switch thread := env("CODEX_THREAD_ID"); {
	case v.session == "": // older ones
		v.session = thread
	case thread != v.session:
		v.agent = thread
	}
	return v
}
