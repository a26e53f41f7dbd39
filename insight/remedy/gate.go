package remedy

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"aburn/insight"
	"aburn/insight/failure"
)

// Check reports what a rule lacks: a class, a gate, what to do, or its source. An incomplete rule
// never matches.
func (r *Rule) Check() error {
	switch {
	case !slices.Contains(failure.Classes(), r.Class):
		return errors.New("no class of errors that there is")
	case !r.Gate.set():
		return errors.New("no gate: words, tool_type, tool, agent, code, exit or status")
	case slices.ContainsFunc(r.Gate.Words, func(w string) bool { return strings.TrimSpace(w) == "" }):
		return errors.New("an empty text among the words of its gate")
	case strings.TrimSpace(r.Text) == "":
		return errors.New("no text that says what to do")
	case strings.TrimSpace(r.Pointer) == "":
		return errors.New("no pointer to the document or commit that it is from")
	}
	return nil
}

func (g *Gate) set() bool {
	return len(g.Words) > 0 || g.Type != "" || g.Tool != "" || g.Agent != "" || g.Code != "" || g.Exit != nil || g.Status != 0
}

// known is the fix of the first rule that an error of d proves. The main error comes first, then
// the others in order. What the session got over by itself needs no fix.
func known(d *insight.Digest, rules []Rule) *Fix {
	if i := d.Decisive; i >= 0 && i < len(d.Errors) {
		if f := fixOf(d, &d.Errors[i], rules); f != nil {
			return f
		}
	}
	for i := range d.Errors {
		if f := fixOf(d, &d.Errors[i], rules); f != nil {
			return f
		}
	}
	return nil
}

// fixOf is the fix of the first rule that error e of d proves.
func fixOf(d *insight.Digest, e *insight.ErrorGroup, rules []Rule) *Fix {
	if e.Solved > 0 {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		if e.Class != r.Class || r.Check() != nil {
			continue
		}
		if proved, ok := r.Gate.prove(d, e); ok {
			return &Fix{Rule: r.Name, Class: r.Class, Text: r.Text, Pointer: r.Pointer, User: r.User, Event: e.First, Count: e.Count, Proved: proved}
		}
	}
	return nil
}

// prove reports whether e satisfies the whole gate, and lists the proof in the gate's words.
func (g *Gate) prove(d *insight.Digest, e *insight.ErrorGroup) (proved []string, ok bool) {
	ok = true
	want := func(set, holds bool, what string) {
		if set {
			ok = ok && holds
			proved = append(proved, what)
		}
	}
	want(g.Agent != "", g.Agent == d.Agent.Name, "agent "+g.Agent)
	want(g.Type != "", g.Type == e.Type, "type of tool "+string(g.Type))
	want(g.Tool != "", g.Tool == e.Tool, "tool "+g.Tool)
	want(g.Code != "", g.Code == e.Code, "code "+g.Code)
	want(g.Status != 0, g.Status == e.Status, "status "+strconv.Itoa(g.Status))
	if g.Exit != nil {
		want(true, e.Exit != nil && *e.Exit == *g.Exit, "exit code "+strconv.Itoa(*g.Exit))
	}
	text := strings.ToLower(e.Text)
	for _, w := range g.Words {
		want(true, hasWords(text, strings.ToLower(w)), "words "+strconv.Quote(w))
	}
	return proved, ok
}

// hasWords reports whether words stand in text as whole words.
func hasWords(text, words string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(words)
		if atBound(text, start) && atBound(text, end) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[start:])
		from = start + n
	}
}

// atBound reports whether text has a word boundary before byte i.
func atBound(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	return !(inWord(before) && inWord(after))
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
