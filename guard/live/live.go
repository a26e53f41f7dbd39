// Package live decides about a call that is about to run, by the rules that count. It reads the log only if a rule asks for the
// numbers of the session, and git only if one asks for the state of the repository.
package live

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/guard"
	"aburn/guard/facts"
	"aburn/hooks"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/logfmt"
	"aburn/trace/own"
)

// Request is a call as its hook passes it on.
type Request struct {
	Event   string          `json:"event"` // PreToolUse or PostToolUse
	Session string          `json:"session"`
	Agent   string          `json:"agent"` // the id of the sub-agent, "" for the session itself
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	Cwd     string          `json:"cwd"`
	Key     string          `json:"key"`  // of the input, as entries have it
	Root    string          `json:"root"` // of the project
	Can     string          `json:"can"`  // which of deny and ask the agent can do
}

// Answer is the decision. The zero value says that no rule is about the call.
type Answer struct {
	Rule string       `json:"rule,omitempty"`
	Do   guard.Action `json:"do,omitempty"`
	Say  string       `json:"say,omitempty"`
	Also []string     `json:"also,omitempty"` // other rules that were hit
	// Wanted is the rule's action, where the agent can't do it and the person is notified instead.
	Wanted guard.Action `json:"wanted,omitempty"`
	Part   string       `json:"-"` // the program or file
}

// maxSaid bounds what a model is told, in runes.
const maxSaid = 300

// Call is the call of a request.
func (r *Request) Call() *guard.Call {
	c := guard.NewCall(r.Tool, guard.Kind(own.TypeOf(r.Tool)), r.Input, r.Cwd)
	c.Sub = r.Agent != ""
	return c
}

// Decide judges a call. At the end of a call only `tell` is left to do, and before it everything else.
func Decide(ctx context.Context, rules []guard.Rule, r *Request, place guard.Place, env func(string) string, log *journal.Journal) Answer {
	rules = slices.DeleteFunc(slices.Clone(rules), func(x guard.Rule) bool { return (x.Do == guard.Tell) != (r.Event == "PostToolUse") })
	if len(rules) == 0 {
		return Answer{}
	}
	now := &facts.Now{Ctx: ctx, Environ: os.Environ(), Env: env, Home: place.Home}
	if asksCounts(rules) && log != nil {
		n := Counts(log, r, place, now)
		now.Numbers = &n
	}
	v := guard.Judge(rules, r.Call(), place, now)
	w := v.Winner()
	if w == nil {
		return Answer{}
	}
	a := Answer{Rule: w.Rule.FullName(), Do: w.Rule.Do, Say: said(w), Part: w.Part}
	if (a.Do == guard.Ask || a.Do == guard.Deny) && !slices.Contains(strings.Fields(r.Can), string(a.Do)) {
		a.Do, a.Wanted = guard.Warn, a.Do
	}
	for _, h := range v.Hits[1:] {
		a.Also = append(a.Also, h.Rule.FullName()+" ("+string(h.Rule.Do)+")")
	}
	return a
}

// said is the sentence that a rule says, with its name.
func said(w *guard.Result) string {
	text := w.Rule.Say
	if text == "" {
		text = w.Rule.Why
	}
	if text == "" {
		text = "The user has a rule about this call."
	}
	text = plain.Line(text)
	if r := []rune(text); len(r) > maxSaid {
		text = string(r[:maxSaid-1]) + "…"
	}
	return text + " (Rule " + w.Rule.FullName() + hooks.GuardSigns
}

func asksCounts(rules []guard.Rule) bool {
	return slices.ContainsFunc(rules, func(r guard.Rule) bool {
		return slices.ContainsFunc(append(slices.Clone(r.When), r.Not...), func(c guard.Condition) bool { return c.OfCounts() || c.After != "" })
	})
}

// maxLog is how much of the log's end is read for the numbers of a session, in bytes. A longer session has more calls than are
// counted.
const maxLog = 8 << 20

// Counts are the numbers of the session at a call, which the log doesn't have yet if its event is PreToolUse.
func Counts(log *journal.Journal, r *Request, place guard.Place, f guard.Facts) guard.Counts {
	var lines [][]byte
	for line, err := range log.Backward(journal.BackwardOptions{Limit: maxLog, Newest: true}) {
		if err != nil {
			break
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if ok && string(h.Session) == r.Session {
			lines = append(lines, slices.Clone(line.JSON))
		}
	}
	slices.Reverse(lines)
	return Replay(lines, r, place, f)
}

// Replay counts the calls of entries, oldest first, and then that of the request.
func Replay(lines [][]byte, r *Request, place guard.Place, f guard.Facts) guard.Counts {
	var counter guard.Counter
	latest := guard.Counts{}
	for _, line := range lines {
		data, agent := gjson.GetBytes(line, "data"), gjson.GetBytes(line, "agent.id").Str
		event := logfmt.Event(gjson.GetBytes(line, "event").Str)
		if agent != r.Agent {
			continue
		}
		key := keyOf(data.Get("tool").Str, data.Get("input").Str)
		switch event {
		case logfmt.Prompt:
			if !data.Get("machine").Bool() {
				counter.Prompt()
			}
		case logfmt.ToolStart:
			kind := guard.Kind(own.TypeOf(data.Get("tool").Str))
			latest = counter.Call(key, kind == guard.Agent)
			if past := recorded(data, kind, place.Root); guard.ReadsSecret(past, place, f) {
				counter.Secret()
			}
		case logfmt.Tool:
			if !data.Get("background").Bool() {
				counter.Result(key, data.Get("result").Str, false)
			}
		case logfmt.ToolFailed, logfmt.ToolDenied:
			counter.Result(key, data.Get("result").Str+data.Get("error").Str, true)
		}
	}
	if r.Event == "PostToolUse" {
		return latest
	}
	return counter.Call(keyOf(r.Tool, r.Key), guard.Kind(own.TypeOf(r.Tool)) == guard.Agent)
}

// recorded is the call of an entry, as far as the entry has it.
func recorded(data gjson.Result, kind guard.Kind, dir string) *guard.Call {
	c := &guard.Call{Tool: data.Get("tool").Str, Kind: kind, Command: data.Get("head").Str, Dir: dir}
	if p := data.Get("path").Str; p != "" {
		c.Paths = []string{p}
	}
	return c
}

func keyOf(tool, input string) string {
	if input == "" {
		return ""
	}
	return tool + " " + input
}

// Explain is the call of an entry of the log.
func Explain(line []byte, dir string) (*guard.Call, bool) {
	data := gjson.GetBytes(line, "data")
	tool := data.Get("tool").Str
	if tool == "" {
		return nil, false
	}
	c := recorded(data, guard.Kind(own.TypeOf(tool)), dir)
	if c.Kind == guard.Shell || len(c.Paths) == 0 {
		c.Cut = "the log has only the beginning of a call, on one line"
	}
	c.Sub = gjson.GetBytes(line, "agent.id").Str != ""
	return c, true
}

// Seq is the number of an entry as a person types it.
func Seq(text string) (logfmt.Seq, bool) {
	n, err := strconv.ParseUint(text, 10, 53)
	return logfmt.Seq(n), err == nil && n > 0
}
