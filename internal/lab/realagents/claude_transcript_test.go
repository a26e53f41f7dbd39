//go:build agents

package realagents

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// lines reads a file of JSON lines.
func (w *world) lines(path string) []gjson.Result {
	w.Helper()
	f, err := os.Open(path)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	var records []gjson.Result
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadString('\n')
		if gjson.Valid(line) {
			records = append(records, gjson.Parse(line))
		}
		if err != nil {
			return records
		}
	}
}

func (w *world) glob(pattern string) []string {
	w.Helper()
	paths, err := filepath.Glob(filepath.Join(w.home, pattern))
	if err != nil {
		w.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

var exitCode = regexp.MustCompile(`^Exit code (\d+)`)

// claudeCalls reads every transcript of Claude Code in this home. A fork copies records with their uuids into a new file; the
// session that had them first is the one whose file is named after the oldest copy's own session, so originals lists sessions
// with the original before its fork.
func (w *world) claudeCalls(originals ...string) []call {
	w.Helper()
	paths := append(w.glob(".claude/projects/*/*.jsonl"), w.glob(".claude/projects/*/*/subagents/*.jsonl")...)
	slices.SortStableFunc(paths, func(a, b string) int { return rank(a, originals) - rank(b, originals) })
	seen := map[string]bool{} // uuids
	var calls []call
	for _, path := range paths {
		for _, record := range w.lines(path) {
			if uuid := record.Get("uuid").String(); uuid != "" && seen[uuid] {
				continue
			} else {
				seen[uuid] = true
			}
			session := record.Get("sessionId").String()
			for _, block := range record.Get("message.content").Array() {
				switch block.Get("type").String() {
				case "tool_use":
					c := call{ID: block.Get("id").String(), Tool: block.Get("name").String(), Session: session, Agent: record.Get("agentId").String()}
					calls = append(calls, c)
				case "tool_result":
					id := block.Get("tool_use_id").String()
					if i := slices.IndexFunc(calls, func(c call) bool { return c.ID == id && c.Session == session }); i >= 0 {
						claudeEnd(&calls[i], record, block)
					}
				}
			}
		}
	}
	return calls
}

func rank(path string, originals []string) int {
	for i, session := range originals {
		if strings.Contains(path, session) {
			return i
		}
	}
	return len(originals)
}

// claudeEnd reads how a call ended. A Bash call that ran tells its exit code only in the text of a failure; success is 0 unless
// the client re-interpreted another code. A call that a killed session left open is closed by a made-up result when the session
// is resumed: for us it stays open.
func claudeEnd(c *call, record, block gjson.Result) {
	text := block.Get("content").String()
	if content := block.Get("content"); content.IsArray() {
		text = content.Get("0.text").String()
	}
	result := record.Get("toolUseResult")
	switch {
	case strings.HasPrefix(text, "[Tool call interrupted"):
		return
	case record.Get("toolDenialKind").Exists(), strings.Contains(text, "hook denied"):
		c.End = "TOOL_DENIED"
	case block.Get("is_error").Bool():
		c.End = "TOOL_FAILED"
		if m := exitCode.FindStringSubmatch(text); m != nil && c.Tool == "Bash" {
			c.Exit = m[1]
		}
	default:
		c.End = "TOOL"
		if c.Tool == "Bash" && !result.Get("backgroundTaskId").Exists() && !result.Get("returnCodeInterpretation").Exists() {
			c.Exit = "0"
		}
	}
}
