// Package rules judges a file that was instrumented, beside the file that it was.
// A rule is a pure function: the same two files give the same findings. It never
// calls a model, starts nothing and reads nothing.
//
// Only what was added is judged. The user's own code is not, spans included.
package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/scan"
)

// Severity says what a finding means for the file.
type Severity string

const (
	Blocking Severity = "blocking" // the file is not written
	Advisory Severity = "advisory"
	Off      Severity = "off" // only as a level: the rule is not run
)

// Finding is what a rule found in one place of the later file.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"`   // from 1
	Column   int      `json:"column"` // bytes, from 1
	Function string   `json:"function"`
	Message  string   `json:"message"`
	Why      string   `json:"why"`
	Example  string   `json:"example"`
}

// Rule is one row of the table.
type Rule struct {
	ID       string
	Name     string
	Severity Severity
	// Fixed rules cannot be lowered: without them the file may do something else.
	Fixed   bool
	Why     string
	Example string // how it looks when it is right
	check   func(*Pair) []found
}

// found is a finding before it has its rule. A severity of "" is the rule's own.
type found struct {
	offset   int
	message  string
	severity Severity
}

// Pair is what rules judge.
type Pair struct {
	Orig *jsast.Module
	// New is nil where the later file does not parse; then Broken says why.
	New    *jsast.Module
	Broken *jsast.SyntaxError
	// OtherType: New only parses as the other kind of module. Broken is the error as
	// the original's kind.
	OtherType bool
	Config    Config

	undone *edit.Undone
	facts  *facts
}

// Config is what a project says about its files.
type Config struct {
	File       string // the path that findings carry
	TracerName string // "" where it is not known
	SDKInit    bool   // the file sets up the SDK: it may import what no other may
	// Chosen: a plan chose which functions get a span, so what lacks one does not block.
	Chosen bool
	// Contract is what the registry says of spans; nil without one. Rules on the
	// contract then find nothing.
	Contract *scan.Contract
}

// Undone is what was added, and what else differs. nil where New is.
func (p *Pair) Undone() *edit.Undone {
	if p.undone == nil && p.New != nil {
		p.undone = edit.Undo(p.Orig, p.New)
	}
	return p.undone
}

// Judge runs all rules and gives what they found, by place. levels changes the
// severity of a rule by its id; that of a fixed rule stays as it is.
func Judge(p *Pair, levels map[string]Severity) []Finding {
	var all []Finding
	for _, r := range Table() {
		level := levels[r.ID]
		if r.Fixed {
			level = ""
		}
		if r.check == nil || level == Off || p.New == nil && r.ID != "NDS-001" {
			continue
		}
		for _, f := range r.check(p) {
			all = append(all, p.finding(&r, f, level))
		}
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(all)
}

func (p *Pair) finding(r *Rule, f found, level Severity) Finding {
	out := Finding{
		Rule: r.ID, Severity: cmp.Or(level, f.severity, r.Severity), File: p.Config.File,
		Message: f.message, Why: r.Why, Example: r.Example,
	}
	if p.New == nil {
		out.Line, out.Column = p.Broken.Pos.Line, p.Broken.Pos.Column
		return out
	}
	at := p.New.Pos(min(max(f.offset, 0), len(p.New.Source)))
	out.Line, out.Column, out.Function = at.Line, at.Column, p.functionAt(f.offset)
	return out
}

// functionAt names the innermost function of the original around a place; "" at the
// top level.
func (p *Pair) functionAt(offset int) string {
	name := ""
	for i := range p.New.Functions {
		f := &p.New.Functions[i]
		if f.Start.Offset > offset || offset >= f.End.Offset || p.Undone().Wrapper(f) != nil {
			continue
		}
		name = f.Label()
	}
	return name
}

// at makes a finding of a place and a message.
func at(offset int, format string, args ...any) found {
	return found{offset: offset, message: fmt.Sprintf(format, args...)}
}

// Blocks says whether a finding keeps the file from being written.
func Blocks(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == Blocking })
}

// excerpt is the text of a node on one short line.
func excerpt(m *jsast.Module, n *jsast.Node) string {
	if n == nil {
		return ""
	}
	text := strings.Join(strings.Fields(m.Text(n.Range)), " ")
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return text
}
