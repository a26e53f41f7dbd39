// Package scrub takes secrets out of text before it is stored: no secret whose shape one of its rules knows survives,
// and text that only resembles one is left as it is.
//
// Three kinds of rules find a secret: tokens that are known by their own look (rules_*.go), values that are known by
// the name before them (assign.go, vendors.go), and places where a secret stands (headers, URLs, command lines, PEM
// blocks). docs/formats/scrubbing.md says where the shapes come from.
//
// How it is quick: a rule names a few letters that every match contains (an anchor). One pass over the text looks for
// the first three of them in a constant bit table (tables.go, generated); only where they stand a rule is tried, by
// hand-written matchers that read a bounded stretch around. No regular expression is compiled, ever, and nothing is
// built at init. The tests hold each rule against a regular expression over the whole text.
//
// Invariants: the result has no secret that Text would find in it again (scrubbing is idempotent), it is longer than
// the text by at most MaxMarker bytes for each redaction, and a marker already in the text stays as it is.
//
//go:generate go test -run ^TestTablesAreCurrent$ -update
package scrub

import "strings"

// The parts of the text that replaces a secret: "[redacted:github]".
const (
	markOpen  = "[redacted:"
	markClose = "]"
)

// MaxMarker is the length in bytes of the longest marker.
const MaxMarker = len(markOpen) + 18 + len(markClose)

// maxRounds bounds the searches of a text: a redaction can free the left side of another secret.
const maxRounds = 32

// Text returns s with every secret replaced by "[redacted:<rule>]", and the number of
// replacements. A value that is secret in one place of s is replaced in all others too (Memory).
func Text(s string) (string, int) {
	var m Memory
	return m.Text(s)
}

func replace(s string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.start])
		b.WriteString(marker(sp.rule))
		at = sp.end
	}
	b.WriteString(s[at:])
	return b.String()
}

func marker(rule string) string { return markOpen + rule + markClose }

// Version numbers the rules. Stored text that was scrubbed under an older version is scrubbed
// again.
const Version = 1
