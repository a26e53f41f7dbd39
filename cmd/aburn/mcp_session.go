package main

import (
	"context"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
)

// callBytes is how far back the log is searched for the call that asks: it has just begun.
const callBytes = 1 << 20

// notVouched is the answer about the log of somebody else's project.
func notVouched() error {
	return badNews("you have not vouched for this project on this machine: its log counts as empty here", "aburn init")
}

// vouched is the project around the session, if the user has vouched for it: nothing else of a log is told to an agent.
func (d *desk) vouched() (*project.Project, error) {
	p, err := project.Find(d.dir, d.env)
	if err == nil && !p.Marked {
		err = notVouched()
	}
	return p, err
}

// sessionOf is the session that made a tool call, as the hooks recorded it; "" if they did not. Claude Code tells a server the
// session once, at its start, and goes on with the same server after /clear, when the session is another one.
func (d *desk) sessionOf(ctx context.Context, call string) string {
	if call == "" {
		return ""
	}
	p, err := d.vouched()
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
