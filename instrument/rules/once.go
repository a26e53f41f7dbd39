package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"aburn/instrument/edit"
	"aburn/instrument/scan"
)

// What is judged here is judged once for a run, or from what a program of the project
// said: it is no matter of two files beside one another.

// Once says whether a rule is judged by APIPlaced, SpansMade or Lint, and not by Judge.
func (r *Rule) Once() bool { return r.check == nil }

// once makes a finding of a rule that is judged once; ok is false where the rule is off.
func once(id string, levels map[string]Severity, file string, line, column int, severity Severity, message string) (f Finding, ok bool) {
	table := Table()
	r := table[slices.IndexFunc(table, func(r Rule) bool { return r.ID == id })]
	if level := levels[id]; level != "" {
		severity = level
	}
	return Finding{Rule: id, Severity: severity, File: file, Line: line, Column: column, Message: message, Why: r.Why, Example: r.Example}, severity != Off
}

// Strategies are the two places where a package.json may hold the API.
const (
	Dependencies     = "dependencies"     // of a service
	PeerDependencies = "peerDependencies" // of what others install; a copy for its own tests stands in devDependencies
)

// APIPlaced says whether a package.json holds the API where strategy wants it. file is
// the path that findings carry. One that is no JSON is not judged.
func APIPlaced(file string, manifest []byte, strategy string, levels map[string]Severity) (list []Finding) {
	var m map[string]json.RawMessage
	if json.Unmarshal(manifest, &m) != nil {
		return nil
	}
	holds := func(in string) bool {
		var names map[string]string
		return json.Unmarshal(m[in], &names) == nil && names[edit.API] != ""
	}
	message := ""
	switch {
	case strategy == PeerDependencies && !holds(PeerDependencies):
		message = "others install this package: peerDependencies has to name " + edit.API + ", so that they and it use one copy"
	case strategy == PeerDependencies && !holds("devDependencies"):
		message = "devDependencies has to name " + edit.API + " too: the package's own tests cannot load it"
	case strategy == Dependencies && !holds(Dependencies):
		message = "dependencies has to name " + edit.API + ": the code imports it when it runs"
	default:
		return nil
	}
	line := 1
	if i := bytes.Index(manifest, []byte(`"`+edit.API+`"`)); i >= 0 {
		line += bytes.Count(manifest[:i], []byte("\n"))
	}
	if f, ok := once("API-002", levels, file, line, 1, Advisory, message); ok {
		list = append(list, f)
	}
	return list
}

// SpansMade says which spans the registry wants of a function in one of the files, that
// none of the files makes. The files are scanned as they are after the run.
func SpansMade(files []*scan.File, levels map[string]Severity) (list []Finding) {
	made := map[string]bool{}
	for _, file := range files {
		for _, fn := range file.Functions {
			for _, name := range fn.Spans {
				made[name] = true
			}
		}
	}
	for _, file := range files {
		for _, fn := range file.Functions {
			if fn.Span == "" || made[fn.Span] {
				continue
			}
			made[fn.Span] = true // told once
			f, ok := once("SCH-005", levels, file.Path, fn.Line, 1, Advisory,
				fmt.Sprintf("no file of the run makes the span %s, which the registry wants of %s: %s", fn.Span, fn.Name, fn.Reason))
			if f.Function = fn.Name; ok {
				list = append(list, f)
			}
		}
	}
	return list
}

// LintMessage is one message of ESLint, as its JSON has it.
type LintMessage struct {
	RuleID   string `json:"ruleId"` // "" for a file that does not parse
	Severity int    `json:"severity"`
	Fatal    bool   `json:"fatal"` // ESLint does not parse the file
	Message  string `json:"message"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// Lint gives the messages that after has and before had not, the numbers in their
// texts aside: those count lines. An error blocks, a warning does not.
func Lint(file string, before, after []LintMessage, levels map[string]Severity) (list []Finding) {
	key := func(m LintMessage) string {
		return m.RuleID + " " + digits().ReplaceAllString(m.Message, "0")
	}
	had := map[string]int{}
	for _, m := range before {
		had[key(m)]++
	}
	for _, m := range after {
		if had[key(m)]--; had[key(m)] >= 0 {
			continue
		}
		severity := Blocking
		if m.Severity < 2 {
			severity = Advisory
		}
		text := "ESLint: " + m.Message
		if m.RuleID != "" {
			text += " (" + m.RuleID + ")"
		}
		if f, ok := once("LINT", levels, file, max(m.Line, 1), max(m.Column, 1), severity, strings.Join(strings.Fields(text), " ")); ok {
			list = append(list, f)
		}
	}
	return list
}
