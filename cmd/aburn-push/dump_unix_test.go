//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/synth/bill"
	"aburn/internal/lab/synth/home"
)

// dump is what pg_dump says of the database.
func (k *team) dump() string {
	k.Helper()
	cmd := exec.Command(filepath.Join(k.bin, "pg_dump"), "-h", k.dir, "-p", fmt.Sprint(k.port), "-U", "owner", k.name)
	out, err := cmd.CombinedOutput()
	if err != nil {
		k.Fatalf("pg_dump: %v\n%s", err, out)
	}
	return string(out)
}

// plant writes a session of Claude Code that has a marker in everything that a session can say, and 41 secrets. It returns them all.
func plant(t *testing.T, at string) (markers []string) {
	t.Helper()
	mark := func(what string) string {
		markers = append(markers, "mark7r"+what)
		return markers[len(markers)-1]
	}
	id := mark("session") + "-0000-4000-8000-000000000001"
	dir := "/home/user/" + mark("folder") + "/shop"
	n := 0
	record := func(kind string, message map[string]any) string {
		n++
		message["role"] = kind
		line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprint("u", n), "parentUuid": fmt.Sprint("u", n-1), "isSidechain": false,
			"userType": "external", "cwd": dir,
			"version": "2.1.329", "gitBranch": mark(fmt.Sprint("branch", n)), "sessionId": id, "timestamp": fmt.Sprintf("2026-10-20T10:%02d:%02d.000Z", n/60, n%60),
			"message": message})
		if err != nil {
			t.Fatal(err)
		}
		return string(line) + "\n"
	}
	usage := map[string]any{"input_tokens": 10, "output_tokens": 20}
	secret := func(i int) string { // put together here, so that no file of ours holds one
		prefix := []string{"gh" + "p_", "AK" + "IA", "glp" + "at-", "np" + "m_", "xo" + "xb-123456789012-", "sk_" + "live_"}[i%6]
		markers = append(markers, fmt.Sprintf("%sQ7%02dM4KZP2WXRT9LBV6JHNC3DFGS5YAEU8Q", prefix, i))
		return markers[len(markers)-1]
	}
	text := record("user", map[string]any{"content": mark("prompt") + " what is wrong with " + secret(0) + "?"})
	for i := range 40 {
		call, say := fmt.Sprint("toolu_s", i), [3]string{"ls", "", ""}
		say[i%3] += " " + secret(i+1)
		text += record("assistant", map[string]any{"id": fmt.Sprint("msgs", i), "model": "claude-opus-5-5", "stop_reason": "tool_use", "usage": usage,
			"content": []any{map[string]any{"type": "text", "text": "so:" + say[1]},
				map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": say[0]}}}})
		text += record("user", map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": call, "is_error": true,
			"content": "Exit code 1\nno" + say[2]}}})
	}
	for i, model := range []string{"claude-opus-5-5", "/home/user/" + mark("model") + ".gguf", mark("model2"), "claude-opus-5-5-" + mark("model3")} {
		call := fmt.Sprint("toolu_", i)
		text += record("assistant", map[string]any{"id": fmt.Sprint("msg", i), "model": model, "stop_reason": "tool_use", "usage": usage,
			"content": []any{map[string]any{"type": "text", "text": mark(fmt.Sprint("answer", i))},
				map[string]any{"type": "tool_use", "id": call, "name": mark(fmt.Sprint("tool", i)), "input": map[string]any{"command": mark(fmt.Sprint("command", i))}}}})
		text += record("user", map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": call, "is_error": true,
			"content": "Exit code 1\n" + mark(fmt.Sprint("error", i)) + ": no such file"}}})
	}
	path := filepath.Join(at, ".claude/projects/-home-user-shop", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return markers
}

// TestDumpHoldsNoText: a dump of the database holds nothing of what sessions say, and nothing that was not named.
func TestDumpHoldsNoText(t *testing.T) {
	k := newTeam(t, "writer")
	m := newMachine(t)
	m.fill(7, 40)
	at := filepath.Join(m.invented, "home")
	markers := plant(t, at)
	m.ingest(at)
	m.names = nil
	for i, key := range m.projects() {
		m.names = append(m.names, fmt.Sprintf("%s=project %d", key, i%3))
	}
	dry := m.must(m.args("--dry-run")...) + m.must(m.args("--dry-run", "--json")...)
	out := m.push(k.address("writer"))
	all := k.dump()
	log, err := os.ReadFile(filepath.Join(k.dir, "log")) // with every statement and its values
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := os.ReadFile(filepath.Join(m.invented, home.SecretsFile))
	if err != nil {
		t.Fatal(err)
	}
	texts := append(markers, strings.Fields(string(secrets))...)
	texts = append(texts, "/home/user", "/work/", at)
	texts = append(texts, m.said()...)
	for _, text := range texts {
		for where, said := range map[string]string{"the dump": all, "the server's log": string(log), "--dry-run": dry, "the answer": out} {
			if i := strings.Index(said, text); i >= 0 {
				t.Errorf("%s holds %q: %.200s", where, text, said[max(0, i-100):])
			}
		}
	}
	if !strings.Contains(all, "project 1") || !strings.Contains(all, "claude-opus-5-5") || !strings.Contains(all, "\tother\t") {
		t.Error("the dump does not hold the rows")
	}
	t.Logf("%d texts were looked for in %d bytes", len(texts), len(all))
}

// said lists the ids, branches and models that the truth of the invented home names, except models with a price.
func (m *machine) said() (list []string) {
	m.Helper()
	seen := map[string]bool{}
	for a, err := range home.Answers(m.invented) {
		if err != nil {
			m.Fatal(err)
		}
		for _, s := range []string{strings.TrimPrefix(a.Session, a.Agent+"/"), a.Branch} {
			if len(s) > 3 && !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// TestMoneyIsTheTruth compares the database's dollars of each day with what was written into a home, priced by other code.
func TestMoneyIsTheTruth(t *testing.T) {
	k := newTeam(t, "payer")
	m := newMachine(t)
	m.fill(8, 40)
	m.push(k.address("payer"))
	text, err := os.ReadFile("../../insight/cost/prices.json")
	if err != nil {
		t.Fatal(err)
	}
	prices, err := bill.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	var answers []*home.Answer
	for a, err := range home.Answers(m.invented) {
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	want, _ := bill.Groups(prices, answers, "day", time.Local)
	got := map[string][]string{}
	for line := range strings.Lines(k.text(k.as("lead"),
		"SELECT concat_ws('|', day, sum(usd), sum(unpriced), sum(answers), bool_or(at_least), bool_or(uncertain)) FROM aburn.costs GROUP BY day")) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		got[fields[0]] = fields[1:]
	}
	if len(got) != len(want) || len(want) < 10 {
		t.Errorf("%d days, want %d", len(got), len(want))
	}
	for key, w := range want {
		g := got[key.Name]
		if g == nil {
			t.Errorf("no day %s", key.Name)
			continue
		}
		unpriced := int64(0)
		for _, n := range w.Unpriced {
			unpriced += n
		}
		usd, ok := new(big.Rat).SetString(g[0])
		if !ok || usd.Cmp(w.USD) != 0 || g[1] != fmt.Sprint(unpriced) || g[2] != fmt.Sprint(w.Responses) ||
			(g[3] == "t") != (w.AtLeast || unpriced > 0) || (g[4] == "t") != w.Uncertain {
			t.Errorf("%s: %v, want %s, %d, %d, %v, %v", key.Name, g, w.USD.FloatString(15), unpriced, w.Responses, w.AtLeast, w.Uncertain)
		}
	}
}
