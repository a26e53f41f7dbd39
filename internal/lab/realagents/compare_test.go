//go:build agents

package realagents

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What differs between two runs of the same session: ids, times, durations and chunk numbers. Everything else must be equal.
var (
	// UUIDs; Claude Code's sub-agents and background shells.
	identifier = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\ba[0-9a-f]{16}\b|\bb[a-z0-9]{8}\b`)
	varying    = regexp.MustCompile(`Chunk ID: [0-9a-f]+|Wall time:? [0-9.]+ seconds|session ID [0-9]+|session_id\\*":[0-9]+|\b1[0-9]{12}\b|` +
		`device_id\\*":\\*"[0-9a-f]{64}|nickname\\*":\\*"[A-Za-z ]+|\b20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:.]+Z?|duration_ms(: |>|\\*": ?)[0-9]+`)
	// lucky is the state of git, which Codex tells when it happens to know it in time. That aburn does not change it is checked
	// apart from this.
	lucky = regexp.MustCompile(`\\"workspaces\\":\{[^}]*\}\},`)
	// notice is the one thing that the model sees of aburn without being meant to: after a /compact that the user typed, Claude Code
	// itself tells which hooks ran. No hook can prevent it.
	notice = regexp.MustCompile(`\\nP(re|ost)Compact \[[^\]]*aburn-hook[^\]]*\] completed successfully`)
)

// told is what the model was told, one text a request, grouped by conversation: parallel threads arrive in any order, each
// thread's own requests do not.
func (w *world) told() map[string][]string {
	w.Helper()
	paths := strings.NewReplacer(w.home, "$HOME", slug(w.home), "$SLUG", w.model.Port(), "$PORT")
	names := map[string]map[string]string{} // conversation → id → its name, by order of appearance
	told := map[string][]string{}
	for _, r := range w.model.Asked() {
		known := names[r.Conversation]
		if known == nil {
			known = map[string]string{}
			names[r.Conversation] = known
		}
		text := notice.ReplaceAllString(paths.Replace(ordered(r.Body)), "")
		text = lucky.ReplaceAllString(text, "")
		text = varying.ReplaceAllString(text, "$$VARIES")
		text = identifier.ReplaceAllStringFunc(text, func(id string) string {
			if known[id] == "" {
				known[id] = fmt.Sprintf("$ID%d", len(known)+1)
			}
			return known[id]
		})
		told[r.Conversation] = append(told[r.Conversation], text)
	}
	return told
}

// ordered is a request with the results of parallel calls in the order of their ids: the client sends them as they came. The mark
// of what to cache stands on the last one, whichever that is.
func ordered(body []byte) string {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return string(body)
	}
	sortResults(value)
	text, err := json.Marshal(value)
	if err != nil {
		return string(body)
	}
	return string(text)
}

func sortResults(value any) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "cache_control")
		for _, member := range value {
			sortResults(member)
		}
	case []any:
		for _, element := range value {
			sortResults(element)
		}
		slices.SortStableFunc(value, func(a, b any) int { return strings.Compare(resultID(a), resultID(b)) })
	}
}

// resultID is the call that a block answers, "" for every other value.
func resultID(block any) string {
	members, _ := block.(map[string]any)
	id, _ := members["tool_use_id"].(string)
	return id
}

// slug is how Claude Code names a folder.
func slug(path string) string { return regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(path, "-") }

// sameModel holds two runs to having told the model the same.
func sameModel(t testing.TB, hooked, plain *world) {
	t.Helper()
	with, without := hooked.told(), plain.told()
	for name := range without {
		if !slices.Equal(with[name], without[name]) {
			t.Errorf("conversation %q: the model was told something else with hooks:\n%s", name, difference(with[name], without[name]))
		}
	}
	for name := range with {
		if without[name] == nil {
			t.Errorf("conversation %q exists only with hooks", name)
		}
	}
}

// difference shows the surroundings of the first difference.
func difference(with, without []string) string {
	for i := range max(len(with), len(without)) {
		if i >= len(with) || i >= len(without) {
			return fmt.Sprintf("%d requests with, %d without", len(with), len(without))
		}
		a, b := with[i], without[i]
		for j := range max(len(a), len(b)) {
			if j >= len(a) || j >= len(b) || a[j] != b[j] {
				return fmt.Sprintf("request %d, byte %d\nwith:    …%s…\nwithout: …%s…", i, j, around(a, j), around(b, j))
			}
		}
	}
	return "no difference"
}

func around(text string, at int) string {
	return text[max(0, min(at-200, len(text))):min(len(text), at+400)]
}
