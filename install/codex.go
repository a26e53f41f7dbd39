package install

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
)

// Codex is the adapter for the Codex CLI's settings.
var Codex = &Adapter{
	Agent:        &agentcli.Codex,
	TrustsFolder: func(root string, env func(string) string) bool { return ReadCodexConfig(env).TrustsProject(root) },
	Examine:      codexTrust, Likely: codexLikely, Session: codexSession,
	Trusts: codexTrusts, Trust: TrustCodex, Review: []string{"/hooks", "t"}, Recorded: codexRecorded,
	servers: codexServers{}, notes: (*document).codexNotes, identify: codexIdentify, positional: true,
}

func codexIdentify(d *document, h handler) (key, hash string) {
	return trustKey(d.path, h.event, h.place[0], h.place[1]), d.trustHash(h.event, h.group, h.value)
}

func codexTrusts(s *Settings, env func(string) string) bool {
	return ReadCodexConfig(env).AllTrusted(s)
}

func codexRecorded(s *Settings, env func(string) string) *Forget {
	config := ReadCodexConfig(env)
	f := &Forget{Agent: s.Agent, File: config.Path}
	for _, r := range s.Own() {
		for _, key := range trustKeys(s, r) {
			if config.values[trustState+key+"\x00trusted_hash"] == r.TrustHash {
				f.keys = append(f.keys, key)
			}
		}
	}
	if len(f.keys) == 0 {
		return nil
	}
	f.all = !config.trustsOthers(f.keys)
	return f
}

// codexTrust finds the hooks that Codex silently skips.
func codexTrust(x Exam) (out []Finding) {
	config := ReadCodexConfig(x.Env)
	if config.Err != nil {
		return []Finding{{Text: fmt.Sprintf("%v: it is unknown whether Codex trusts the hooks", config.Err)}}
	}
	if config.HooksOff() {
		out = append(out, Finding{Bad: true, Text: config.Path + " switches the feature hooks off", Hints: []string{"remove it from [features]"}})
	}
	for _, s := range x.Own {
		if s.Scope == Project && x.Root != "" && !config.TrustsProject(x.Root) {
			out = append(out, Finding{
				Bad:  true,
				Text: "Codex does not trust the project " + x.Root + ", so it reads no hooks of the project's own", Hints: []string{"run codex there and trust the folder"},
			})
		}
		out = append(out, config.handlers(s))
	}
	return out
}

// handlers reports how many of aburn's handlers in s Codex runs.
func (c CodexConfig) handlers(s *Settings) Finding {
	count := map[Trust]int{}
	own := s.Own()
	for _, r := range own {
		count[c.Trust(s, r)]++
	}
	if count[Trusted] == len(own) {
		return Finding{OK: true, Text: fmt.Sprintf("Codex trusts all %d hooks of %s", len(own), s.Path)}
	}
	var parts []string
	for _, t := range []Trust{Untrusted, Modified, Disabled} {
		if count[t] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[t], t))
		}
	}
	return Finding{
		Bad:   true,
		Text:  fmt.Sprintf("Codex silently skips hooks of %s: %s", s.Path, strings.Join(parts, ", ")),
		Hints: []string{"run codex, then /hooks, then t", "or aburn install-hooks --agent codex --trust-codex"},
	}
}

func codexLikely(x Exam, _ *Session) string {
	config := ReadCodexConfig(x.Env)
	for _, s := range x.Own {
		if config.AllTrusted(s) {
			return "the hooks were trusted only after it began"
		}
	}
	return ""
}

// codexSession reads a rollout, whose first record names session and folder. Threads of sub-agents and reviews run
// under the id of their root session.
func codexSession(s *Session, r gjson.Result) {
	at, err := time.Parse(time.RFC3339, r.Get("timestamp").Str)
	if err != nil {
		return
	}
	if m := r.Get("payload"); s.ID == "" && r.Get("type").Str == "session_meta" {
		s.ID, s.Cwd, s.Started = m.Get("id").Str, m.Get("cwd").Str, at
		s.Part = m.Get("source").IsObject() || m.Get("parent_thread_id").Exists()
	}
	if at.After(s.Last) {
		s.Last = at
	}
}
