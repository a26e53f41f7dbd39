package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"aburn/internal/queue"
	"aburn/logfmt"
)

// unseen is one character of each kind that a model must not be shown.
var unseen = []rune{0x00, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x6dd, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x180f, 0x200b, 0x200c, 0x200d,
	0x200e, 0x2028, 0x2029,
	0x202e, 0x2060, 0x2066, 0x206a, 0x2800, 0x3164, 0xe000, 0xfdd0, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xffff, 0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe007f,
	0xe0100, 0xe01ef, 0xe0fff, 0xf0000, 0x10ffff}

// isUnseen goes by the tables of the standard library, not by those of internal/plain.
func isUnseen(r rune) bool {
	if r == '\n' || r == 0x2800 {
		return r == 0x2800
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Noncharacter_Code_Point)
}

// TestNothingUnseenIsDelivered: advice about paths with such characters in them, and what a session is reminded of.
func TestNothingUnseenIsDelivered(t *testing.T) {
	path := "docs/✔\ufe0f" + strings.Join(strings.Split(string(unseen), ""), "x") + ".md"
	check := func(what, text string) {
		t.Helper()
		if i := strings.IndexFunc(text, isUnseen); i >= 0 {
			t.Errorf("%s: %+q", what, text[max(0, i-40):min(len(text), i+20)])
		}
		if !strings.Contains(text, "docs/✔") {
			t.Errorf("%s does not show the path: %q", what, text)
		}
	}
	for _, agent := range []string{"claude", "codex"} {
		w := newWorld(t)
		w.trust()
		w.put(queue.Task{Session: "s1", Prompt: "edited " + path + " again\nand again " + path, Source: "test"})
		check(agent+", advice", adviceText(t, w.send(agent, promptOf(agent, "s1")), "UserPromptSubmit"))

		outputs, err := json.Marshal(map[string]any{"outputs": []string{path}, "next_suggested": path})
		if err != nil {
			t.Fatal(err)
		}
		w.append(logfmt.Entry{Time: time.Now().Add(-time.Hour), Cmd: "plan", Event: logfmt.Complete, Session: "s1", Source: "prompt", Data: outputs})
		check(agent+", reminder", reminderText(t, w.send(agent, sessionStart(agent, "compact"))))
	}
}
