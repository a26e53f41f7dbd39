package mcp

import (
	"cmp"
	"context"

	"github.com/tidwall/gjson"

	"aburn/cmd/aburn/internal/scope"
	"aburn/internal/agentcli"
	"aburn/internal/journal"
	"aburn/internal/mcpserver"
	"aburn/internal/project"
	"aburn/logfmt"
)

// vouched is the project around the session, if the user has vouched for it: an agent gets nothing else of a log.
func (m *mcpAnswers) vouched() (*project.Project, error) {
	p, err := project.Find(m.dir, m.env)
	if err == nil && !p.Marked {
		err = scope.NotVouched()
	}
	return p, err
}

// sessionOf is the session that made a tool call, as the hooks recorded it; "" if they did not. Claude Code tells a server the
// session once, at its start, and goes on with the same server after /clear, when the session is another one.
func (m *mcpAnswers) sessionOf(ctx context.Context, call string) string {
	if call == "" {
		return ""
	}
	p, err := m.vouched()
	if err != nil {
		return ""
	}
	oss, err := p.OpenOss()
	if err != nil {
		return ""
	}
	defer oss.Close()
	for line, err := range journal.New(oss, journal.Options{By: journal.Command}).Backward(journal.BackwardOptions{Limit: callBytes}) {
		if err != nil || ctx.Err() != nil {
			break
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if ok && logfmt.Event(h.Event) == logfmt.ToolStart && gjson.GetBytes(line.JSON, "data.tool_use_id").Str == call {
			return string(h.Session)
		}
	}
	return ""
}

// envOf is the environment as the commands of the asking session have it, as far as the client says which that is. The client
// that says so is the one that asks, whoever's variables it was itself started with.
func (m *mcpAnswers) envOf(ctx context.Context, who mcpserver.Asker) func(string) string {
	own := map[string]string{}
	codex, claude := agentcli.Codex.Session, agentcli.Claude.Session
	switch {
	case who.Session != "":
		own[codex.ID], own[codex.Thread], own[claude.ID] = who.Session, who.Thread, ""
	case who.Call != "":
		own[codex.ID], own[codex.Thread] = "", ""
		own[claude.ID] = cmp.Or(m.sessionOf(ctx, who.Call), m.env(claude.ID))
	}
	return func(name string) string {
		if value, said := own[name]; said {
			return value
		}
		return m.env(name)
	}
}
