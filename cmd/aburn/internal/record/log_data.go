package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

// Bounds of what a prompt may put into one entry, in bytes. Besides, logfmt cuts a whole entry at 64 KiB.
const (
	maxText = 2000
	maxData = 1 << 20
)

// dataOf is the entry's data: first the flags, under the names of data.schema.json, then the members of --data. All text
// is scrubbed.
func dataOf(a *kit.App, cmd *cli.Command, w *workspace.Workspace, ev logfmt.Event) ([]byte, error) {
	var o logfmt.Object
	var secrets scrub.Memory // one of the texts may say that a word of another is secret
	for _, flag := range [...]string{"summary", "error", "data"} {
		secrets.Learn(cmd.String(flag))
	}
	o.StrIf(summaryKey(ev), scrub.Head(cmd.String("summary"), maxText))
	if cmd.IsSet("error") {
		if ev != logfmt.Failed && ev != logfmt.AgentComplete && ev.Known() {
			return nil, fault.Usage("--error goes with FAILED, not with " + string(ev))
		}
		o.StrIf("error", scrub.Head(cmd.String("error"), maxText))
	}
	if ev == logfmt.AgentSpawn || ev == logfmt.AgentComplete {
		o.StrIf("agent_id", agentText(cmd, "agent-id")).StrIf("agent_type", agentText(cmd, "agent-type"))
	}
	if paths := cmd.StringSlice("output"); len(paths) > 0 {
		outputs, err := outputList(w, paths)
		if err != nil {
			return nil, err
		}
		o.Raw("outputs", outputs)
	}
	if pairs := cmd.StringSlice("metric"); len(pairs) > 0 {
		metrics, err := metricsObject(pairs)
		if err != nil {
			return nil, err
		}
		o.Raw("metrics", metrics)
	}
	if next := cmd.String("next"); next != "" {
		next = strings.ToLower(strings.TrimPrefix(next, "/"))
		if err := workspace.CheckName("--next", next, logfmt.MaxCmd); err != nil {
			return nil, err
		}
		o.Str("next_suggested", next)
	}
	if err := addData(a, &o, cmd.String("data")); err != nil {
		return nil, err
	}
	if secrets.Empty() {
		return o.Bytes(), nil
	}
	return []byte(secrets.Hide(string(o.Bytes()))), nil // such a value has nothing that JSON escapes, but for &
}

func agentText(cmd *cli.Command, flag string) string {
	text := cmd.String(flag)
	if flag == "agent-id" { // as hooks have it
		text = scrub.ID(text)
	}
	return scrub.Head(text, logfmt.MaxSession)
}

// summaryKey is the member of data that holds --summary in entries of this event.
func summaryKey(ev logfmt.Event) string {
	switch ev {
	case logfmt.Start:
		return "args"
	case logfmt.PhaseStart, logfmt.PhaseComplete:
		return "details"
	case logfmt.Milestone:
		return "description"
	case logfmt.AgentSpawn:
		return "task"
	}
	return "summary"
}

// metricsObject turns NAME=NUMBER pairs into an object of numbers.
func metricsObject(pairs []string) ([]byte, error) {
	var o logfmt.Object
	seen := map[string]bool{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return nil, fault.Usage("--metric "+fault.Quote(pair)+" is not NAME=NUMBER", "--metric tests_passed=41")
		}
		if seen[name] {
			return nil, fault.Usage("--metric " + name + " is given twice")
		}
		seen[name] = true
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fault.Usage("--metric "+name+": "+fault.Quote(value)+" is not a number", "texts go into --summary or --data")
		}
		name, _ = scrub.Text(name)
		if gjson.Valid(value) { // as it was typed: 41 stays 41, 0.10 stays 0.10
			o.Raw(name, []byte(value))
		} else {
			o.Float(name, v)
		}
	}
	return o.Bytes(), nil
}

// addData adds the members of a JSON object, from arg or, if that is "-", from standard input. None may repeat a member that
// a flag gave.
func addData(a *kit.App, o *logfmt.Object, arg string) error {
	if arg == "" {
		return nil
	}
	text := []byte(arg)
	if arg == "-" {
		var err error
		if text, err = io.ReadAll(io.LimitReader(a.Stdin, maxData+1)); err != nil {
			return fault.Failed("read --data - from standard input: " + err.Error())
		}
	}
	switch text = bytes.TrimSpace(text); {
	case len(text) > maxData:
		return fault.Usage("--data is larger than 1 MiB")
	case !logfmt.Valid(text): // which also bounds the depth of the recursion in ScrubbedJSON
		return fault.Usage("--data is not valid JSON, or is nested more than 512 deep", `--data '{"args":"issue 12"}', or --data - and the JSON on standard input`)
	case !gjson.ParseBytes(text).IsObject():
		return fault.Usage("--data is not a JSON object", `--data '{"args":"issue 12"}'`)
	}
	taken := gjson.ParseBytes(o.Bytes())
	seen := map[string]bool{}
	taken.ForEach(func(k, _ gjson.Result) bool { seen[k.Str] = true; return true })
	var err error
	gjson.ParseBytes(text).ForEach(func(k, v gjson.Result) bool {
		if seen[k.Str] {
			err = fault.Usage(fmt.Sprintf("--data: the member %s is given twice", fault.Quote(k.Str)), "give it once, with its flag or in --data")
		}
		seen[k.Str] = true
		o.Raw(scrubText("", k.Str), ScrubbedJSON(k.Str, v))
		return err == nil
	})
	return err
}

// ScrubbedJSON is a JSON value without secrets in its keys and strings. key is the name of the member that holds it, which
// counts: {"password":"…"} says more than the value alone.
func ScrubbedJSON(key string, v gjson.Result) []byte {
	switch {
	case v.Type == gjson.String:
		return gjson.AppendJSONString(nil, scrubText(key, v.Str))
	case v.IsObject():
		var o logfmt.Object
		v.ForEach(func(k, m gjson.Result) bool {
			o.Raw(scrubText("", k.Str), ScrubbedJSON(k.Str, m))
			return true
		})
		if o.Empty() {
			return []byte("{}")
		}
		return o.Bytes()
	case v.IsArray():
		b := []byte{'['}
		v.ForEach(func(_, m gjson.Result) bool {
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(b, ScrubbedJSON(key, m)...)
			return true
		})
		return append(b, ']')
	}
	return []byte(v.Raw)
}

// WithoutSecrets is JSON as it is, or without the secrets that are in its strings: anything can write into a log.
func WithoutSecrets(text []byte) []byte {
	const mark = "[redacted:"
	clean := ScrubbedJSON("", gjson.ParseBytes(text))
	if bytes.Count(clean, []byte(mark)) == bytes.Count(text, []byte(mark)) {
		return text
	}
	return plain.AppendJSON(nil, clean)
}

// scrubText scrubs a text of any number of lines, by itself and together with its key.
func scrubText(key, s string) string {
	clean, found := scrub.Text(s)
	if key != "" {
		if named, n := scrub.Text(key + "=" + s); n > found {
			clean = strings.TrimPrefix(named, key+"=")
		}
	}
	lines := strings.Split(clean, "\n")
	for i := range lines {
		lines[i] = scrub.Head(lines[i], len(lines[i])+maxText)
	}
	return strings.Join(lines, "\n")
}

// maxHashed is the size, in bytes, of the largest output that is hashed. Of larger ones the entry has only the size.
const maxHashed = 64 << 20

// outputList is the value of data.outputs: {path, sha256, bytes} of each file, with paths relative to the worktree's root.
// A missing file is an error: an entry that names one would mislead whoever builds on it, and now the caller can correct it.
func outputList(w *workspace.Workspace, paths []string) ([]byte, error) {
	list := []byte{'['}
	for i, path := range paths {
		if i > 0 {
			list = append(list, ',')
		}
		one, err := outputObject(w, path)
		if err != nil {
			return nil, err
		}
		list = append(list, one...)
	}
	return append(list, ']'), nil
}

func outputObject(w *workspace.Workspace, path string) ([]byte, error) {
	var o logfmt.Object
	if strings.Contains(path, "://") { // a pull request, a deployment: recorded as it is
		return o.Str("path", keptPath(path)).Bytes(), nil
	}
	if path == "" {
		return nil, fault.Usage("--output is empty")
	}
	file := w.Resolve(path)
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Failed("output "+plain.Line(path)+" does not exist; nothing was logged",
			"write the file first, then log; paths are relative to the current folder")
	}
	if err != nil {
		return nil, fault.Failed("output " + err.Error() + "; nothing was logged")
	}
	o.Str("path", keptPath(w.Rel(file)))
	if !st.Mode().IsRegular() { // a folder, for instance
		return o.Bytes(), nil
	}
	if st.Size() > maxHashed {
		return o.Int("bytes", st.Size()).Bytes(), nil
	}
	sum, n, err := hashFile(file)
	if err != nil {
		return nil, fault.Failed("output " + err.Error() + "; nothing was logged")
	}
	return o.Str("sha256", sum).Int("bytes", n).Bytes(), nil
}

// keptPath is a path as the log keeps it, with every space, because chain looks for the file by this name. A secret, or a
// character that no person is shown, becomes a mark; by that chain knows that it is not the real name.
func keptPath(path string) string {
	path, _ = scrub.Text(path)
	return strings.Map(func(r rune) rune {
		if plain.Person(r) == plain.Replacement {
			return plain.Replacement
		}
		return r // what is only taken out where it is shown belongs to the name
	}, path)
}

// hashFile returns the SHA-256 and the size of the same bytes, also if the file is being written.
func hashFile(path string) (sum string, n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if n, err = io.Copy(h, f); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}
