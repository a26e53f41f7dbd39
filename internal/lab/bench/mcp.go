package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// laterAnswers is how often a server is asked again.
const laterAnswers = 5

// hello is what a client says first.
var hello = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}}

// message is a line of the protocol. One with an id of 0 wants no answer.
func message(id int, method string, params any) []byte {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if id > 0 {
		m["id"], m["params"] = id, params
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // nothing in them can fail
	}
	return append(data, '\n')
}

// serverStart compares a server that is started, asked to initialize and left, with a process that only says its
// version.
func (p *page) serverStart(w *world, s *store) error {
	version, start := s.run(w, "`aburn --version`", w.bin("aburn"), "--version"), s.run(w, "`aburn mcp`, up to its answer to initialize", w.bin("aburn"), "mcp")
	if err := w.write("initialize.json", message(1, "initialize", hello)); err != nil {
		return err
	}
	start.input = func(int) string { return w.path("initialize.json") }
	t, err := race(p.rounds, version, start)
	if err != nil {
		return err
	}
	fmt.Fprintf(&p.b, "\nThe MCP server over that archive, %d rounds in turn:\n\n", p.rounds)
	p.table("process", "median", "against `aburn --version`", "bound")
	p.row(version.name, ms(median(t[0])), "1.00 ×", "")
	p.bounded(ratio(median(t[1]), median(t[0])), 2, false, start.name, ms(median(t[1])))
	return nil
}

// answers adds the rows of the server's answers: the first one of a process, which reads the digests, and later ones.
func (p *page) answers(w *world, s *store) error {
	key, err := s.topFailure(w)
	if err != nil {
		return err
	}
	config := filepath.Join(s.dir, "home", ".config", "aburn")
	if err := os.MkdirAll(config, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(`{"mcp": {"all_projects": true}}`), 0o600); err != nil {
		return err
	}
	fmt.Fprintf(&p.b,
		"\nIts answers, from the question to the answer's last byte. Each tool has %d servers, each asked %d times over all projects after the client has listed "+
			"the tools. The first answer reads the digests, or how the sessions hang together. The server keeps both while nobody writes to the archive.\n\n",
		insightRounds, laterAnswers+1)
	p.table("tool", "first answer", "later answers", "bound")
	for _, q := range []struct{ tool, target string }{{"failure_report", ""}, {"lessons", ""}, {"remedy", key}, {"replay", key}, {"session_graph", ""}} {
		var first, later []time.Duration
		for range p.times(insightRounds) {
			times, err := s.asked(w, q.tool, q.target)
			if err != nil {
				return fmt.Errorf("%s: %w", q.tool, err)
			}
			first, later = append(first, times[0]), append(later, times[1:]...)
		}
		slices.Sort(first)
		slices.Sort(later)
		p.row("`"+q.tool+"`", ms(median(first)), ms(median(later)), limit("≤ 100 ms", median(first) <= maxAnswer && median(later) <= maxAnswer))
	}
	return nil
}

// topFailure is the key of the most frequent failure.
func (s *store) topFailure(w *world) (string, error) {
	report := s.run(w, "report", w.bin("aburn"), "report", "--json")
	cmd := exec.Command(report.path, report.args...)
	cmd.Env, cmd.Dir = report.env, report.dir
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	var said struct {
		Failures []struct {
			Key string `json:"fingerprint"`
		} `json:"failures"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return "", err
	}
	if len(said.Failures) == 0 {
		return "", errors.New("no failure in the report")
	}
	return said.Failures[0].Key, nil
}

// asked starts a server, asks it one question some times, and returns how long each answer took.
func (s *store) asked(w *world, tool, target string) (times []time.Duration, err error) {
	server := s.run(w, "mcp", w.bin("aburn"), "mcp")
	cmd := exec.Command(server.path, server.args...)
	cmd.Env, cmd.Dir = server.env, server.dir
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		in.Close()
		err = errors.Join(err, cmd.Wait())
	}()
	lines := bufio.NewReader(out)
	if _, err := ask(in, lines, message(1, "initialize", hello)); err != nil {
		return nil, err
	}
	if _, err := in.Write(message(0, "notifications/initialized", nil)); err != nil {
		return nil, err
	}
	if _, err := ask(in, lines, message(2, "tools/list", map[string]any{})); err != nil { // as every client does at its start
		return nil, err
	}
	arguments := map[string]any{"all_projects": true}
	if target != "" {
		arguments = map[string]any{"key": target}
	}
	for i := range laterAnswers + 1 {
		took, err := ask(in, lines, message(i+3, "tools/call", map[string]any{"name": tool, "arguments": arguments}))
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return times, nil
}

// ask writes a question and reads the line that answers it.
func ask(in io.Writer, lines *bufio.Reader, question []byte) (time.Duration, error) {
	start := time.Now()
	if _, err := in.Write(question); err != nil {
		return 0, err
	}
	line, err := lines.ReadBytes('\n')
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	var answer struct {
		Error  json.RawMessage `json:"error"`
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return 0, err
	}
	if answer.Error != nil || answer.Result.IsError {
		return 0, fmt.Errorf("it answers %.300s", line)
	}
	return took, nil
}
