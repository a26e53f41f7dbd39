package claude_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/claude"
)

// found is what Find finds, as paths below dir, each with its layout and parts.
func found(t *testing.T, dir string, in trace.Places) string {
	t.Helper()
	var all []string
	err := claude.New().Find(context.Background(), in, func(s trace.Store) error {
		rel, err := filepath.Rel(dir, s.Path)
		if err != nil {
			return err
		}
		all = append(all, strings.TrimSpace(strings.Join(append([]string{filepath.ToSlash(rel), s.Layout}, bases(s.Parts)...), " ")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "; ")
}

func bases(paths []string) (all []string) {
	for _, p := range paths {
		all = append(all, filepath.Base(p))
	}
	return all
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	session := newDraft(one)
	session.text("p1", "", "hello")
	line := session.lines[0] + "\n"
	file(t, filepath.Join(home, ".claude/projects/-p", one+".jsonl"), line)
	file(t, filepath.Join(home, ".claude/projects/-p", one, "subagents/agent-x.jsonl"), line)
	file(t, filepath.Join(home, ".claude/projects/-p", one, "subagents/agent-x.meta.json"), "{}")
	file(t, filepath.Join(home, ".claude/projects/-p", one, "subagents/deep/agent-y.jsonl"), line)
	file(t, filepath.Join(home, ".claude/projects/-p", one, "tool-results/z.jsonl"), line)
	file(t, filepath.Join(home, ".claude/projects/-p/agent-old.jsonl"), line)
	file(t, filepath.Join(home, ".claude/projects/-p/notes.txt"), line)
	file(t, filepath.Join(home, ".claude/projects/-q", one+".jsonl"), line) // the same session: it was moved while we looked, or copied
	file(t, filepath.Join(home, ".config/claude/projects/-p", two+".jsonl"), line)
	none := func(string) string { return "" }
	want := ".claude/projects/-p/11111111-0000-4000-8000-000000000001.jsonl session; " +
		".claude/projects/-p/11111111-0000-4000-8000-000000000001/subagents/agent-x.jsonl subagent agent-x.meta.json; " +
		".claude/projects/-p/11111111-0000-4000-8000-000000000001/subagents/deep/agent-y.jsonl subagent; " +
		".claude/projects/-p/agent-old.jsonl subagent; " +
		".claude/projects/-q/11111111-0000-4000-8000-000000000001.jsonl session; " +
		".config/claude/projects/-p/22222222-0000-4000-8000-000000000002.jsonl session"
	sorted := func(s string) string { // the order is that of the folders
		all := strings.Split(s, "; ")
		slices.Sort(all)
		return strings.Join(all, "; ")
	}
	if got := found(t, home, trace.Places{Home: home, Getenv: none}); sorted(got) != sorted(want) {
		t.Errorf("found\n%s\nnot\n%s", got, want)
	}
	elsewhere := func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return filepath.Join(home, ".config/claude")
		}
		return ""
	}
	if got := found(t, home, trace.Places{Home: home, Getenv: elsewhere}); got != ".config/claude/projects/-p/22222222-0000-4000-8000-000000000002.jsonl session" {
		t.Errorf("with CLAUDE_CONFIG_DIR: %s", got)
	}
	if got := found(t, home, trace.Places{Home: filepath.Join(home, "nowhere"), Getenv: none}); got != "" {
		t.Errorf("in an empty home: %s", got)
	}
}

// Of what a person names, only what looks like transcripts is taken.
func TestFindNamed(t *testing.T) {
	dir := t.TempDir()
	d := newDraft(one)
	d.text("p1", "", "hello")
	file(t, filepath.Join(dir, "kept.jsonl"), d.lines[0]+"\n")
	file(t, filepath.Join(dir, "rollout-x.jsonl"), `{"timestamp":"2026-11-21T08:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"sessionId":"x"}}`+"\n")
	file(t, filepath.Join(dir, "gemini.jsonl"), `{"sessionId":"x","projectHash":"y","startTime":"z"}`+"\n")
	file(t, filepath.Join(dir, "other.jsonl"), `{"a":1}`+"\n")
	file(t, filepath.Join(dir, "-p", two+".jsonl"), "")
	if err := os.Symlink("kept.jsonl", filepath.Join(dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if got := found(t, dir, trace.Places{Paths: []string{dir}}); got != "-p/"+two+".jsonl session; kept.jsonl session; link.jsonl session" {
		t.Errorf("found %s", got)
	}
	if got := found(t, dir, trace.Places{Paths: []string{filepath.Join(dir, "kept.jsonl")}}); got != "kept.jsonl session" {
		t.Errorf("found %s", got)
	}
	// A copy under another name is the session that its records name.
	s := tracetest.Read(t, claude.New(), filepath.Join(dir, "kept.jsonl"))
	if tr := s.Traces[one]; tr == nil || tr.Count().Prompts != 1 {
		t.Errorf("read %v", s.Traces)
	}
	if err := claude.New().Find(context.Background(), trace.Places{Paths: []string{filepath.Join(dir, "gone")}}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}

// What a file can be beside a transcript.
func TestFiles(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "hello")
	prompt := d.lines[0]
	for name, c := range map[string]struct {
		content string
		prompts int
		damaged int
		torn    bool
		unknown string
	}{
		"empty":                 {},
		"a torn line":           {content: prompt[:50], torn: true},
		"a line without an end": {content: prompt, torn: true},
		"bookkeeping":           {content: `{"type":"mode","mode":"normal"}` + "\n" + `{"type":"summary","leafUuid":"x","summary":"s"}` + "\n"},
		"a prompt":              {content: prompt + "\n", prompts: 1},
		"Windows line ends":     {content: prompt + "\r\n", prompts: 1},
		"an unknown record":     {content: `{"type":"frame-link","sessionId":"x"}` + "\n" + prompt + "\n", prompts: 1},
		"zeroes of a power cut": {content: prompt + "\n" + strings.Repeat("\x00", 99) + "\n" + prompt + "\n", prompts: 2, damaged: 1},
		"two records in one":    {content: prompt[:80] + prompt + "\n" + prompt + "\n", prompts: 1, damaged: 1},
		"no message":            {content: strings.Replace(prompt, `"message"`, `"massage"`, 1) + "\n" + prompt + "\n", prompts: 1, damaged: 1},
		"another agent's": {content: `{"a":1}` + "\n" + `{"type":"x","payload":{}}` + "\n",
			unknown: "unknown layout of Claude Code, version ?: PATH: none of its lines is of a type that transcripts have"},
		"a later version's": {content: strings.ReplaceAll(prompt, `"user"`, `"human"`) + "\n",
			unknown: "unknown layout of Claude Code, version 2.1.329: PATH: none of its lines is of a type that transcripts have"},
		"no JSON": {content: "hello\nworld\n", unknown: "unknown layout of Claude Code, version ?: PATH: none of its lines is a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := file(t, filepath.Join(dir, "-p", one+".jsonl"), c.content)
			s := tracetest.Read(t, claude.New(), dir)
			if c.unknown != "" {
				var unknown *trace.UnknownLayout
				if err := s.Errors[path]; !errors.As(err, &unknown) || err.Error() != strings.ReplaceAll(c.unknown, "PATH", path) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err := s.Errors[path]; err != nil {
				t.Fatal(err)
			}
			prompts, damaged := 0, 0
			if tr := s.Traces[one]; tr != nil {
				prompts, damaged = tr.Count().Prompts, len(tr.Damaged)
			}
			if prompts != c.prompts || len(s.Damage) != c.damaged || damaged != c.damaged || s.Torn[path] != c.torn {
				t.Errorf("%d prompts, damage %+v and %d in the trace, torn %v", prompts, s.Damage, damaged, s.Torn[path])
			}
			for _, x := range s.Damage {
				if x.Ref.Line == 0 || x.Reason == "" {
					t.Errorf("damage without a place: %+v", x)
				}
			}
			if s.Bytes != int64(len(c.content)) && !c.torn {
				t.Errorf("told of %d bytes of %d", s.Bytes, len(c.content))
			}
		})
	}
}

// A sub-agent without its meta file is linked by what its session says of it; with one, by that.
func TestAgents(t *testing.T) {
	dir := t.TempDir()
	d := newDraft(one)
	d.text("p1", "", "do")
	d.calls("1", "p1", "Agent", `{"description":"dig","prompt":"dig deep","subagent_type":"Explore"}`)
	d.calls("2", "1", "Agent", `{"description":"see","prompt":"see","subagent_type":"Plan"}`)
	d.result("r1", "1", `"found"`, false, `,"toolUseResult":{"status":"completed","agentId":"x","agentType":"Explore","totalDurationMs":1234}`)
	d.write(t, dir)
	agent := newDraft(one)
	agent.text("q1", "", "dig deep", `,"agentId":"x"`)
	agent.answers("b1", "q1")
	body := strings.ReplaceAll(strings.Join(agent.lines, "\n")+"\n", `"isSidechain":false`, `"isSidechain":true`)
	file(t, filepath.Join(dir, "-p", one, "subagents/agent-x.jsonl"), body)
	file(t, filepath.Join(dir, "-p", one, "subagents/agent-y.jsonl"), body)
	file(t, filepath.Join(dir, "-p", one, "subagents/agent-y.meta.json"), `{"agentType":"Plan","description":"see","toolUseId":"c2","parentAgentId":null}`)
	file(t, filepath.Join(dir, "-p", one, "subagents/agent-z.jsonl"), body)
	file(t, filepath.Join(dir, "-p", one, "subagents/agent-z.meta.json"), `{"agentType":"Plan","toolUseId":"c9","parentAgentId":"y"}`)
	file(t, filepath.Join(dir, "-p/agent-old.jsonl"), body) // as clients before 2.1 had it
	s := tracetest.Read(t, claude.New(), dir)
	trace.Link(s.Ordered())
	for id, want := range map[string]trace.SessionRelationship{
		one + "/x":   {Related: one, ParentCall: "c1", AgentID: "x", AgentType: "Explore", Description: "dig", Evidence: "the subagent_spawn in " + one},
		one + "/y":   {Related: one, ParentCall: "c2", AgentID: "y", AgentType: "Plan", Description: "see"},
		one + "/z":   {Related: one + "/y", ParentCall: "c9", AgentID: "z", AgentType: "Plan"},
		one + "/old": {Related: one, AgentID: "old"},
	} {
		tr := s.Traces[id]
		if tr == nil {
			t.Errorf("no trace %s", id)
			continue
		}
		got := tr.Relationships[0]
		want.V, want.Kind, want.Source, want.Session, want.Time, want.SourceVersion, want.Provenance = 1, trace.Subagent, "claude", id, got.Time, "2.1.329",
			trace.Explicit
		if got != want {
			t.Errorf("%s:\n%+v\nnot\n%+v", id, got, want)
		}
		tells(t, tr, "user:other agent")
		if tr.Outcome != trace.Completed || tr.Count().Prompts != 0 {
			t.Errorf("%s: %s, %+v", id, tr.Outcome, tr.Count())
		}
	}
	main := s.Traces[one]
	tells(t, main, "user call:Agent spawn:"+one+"/x call:Agent spawn:"+one+"/y result:completed")
	if r := main.Results[0]; r.DurationMS != 1234 || r.Spawned != one+"/x" {
		t.Errorf("the result: %+v", r)
	}
	tracetest.CutFile(t, claude.New(), dir, filepath.Join("-p", one, "subagents/agent-y.jsonl"), later)
	tracetest.CutFile(t, claude.New(), dir, filepath.Join("-p", one, "subagents/agent-y.meta.json"), later)
}

// A call that was refused or wrong started no sub-agent; one that a sub-agent names did, however it ended.
func TestAgentNotStarted(t *testing.T) {
	input := `{"description":"dig","prompt":"dig","subagent_type":"digger"}`
	d := newDraft(one)
	d.text("p1", "", "do")
	d.calls("1", "p1", "Agent", input)
	d.result("r1", "1", `"no such type"`, true)
	d.calls("2", "r1", "Agent", input)
	d.result("r2", "2", `"no"`, true, `,"toolDenialKind":"user-rejected","toolDenialBeforeRun":true`)
	d.calls("3", "r2", "Agent", input)
	d.result("r3", "3", `"stopped"`, true, `,"toolDenialKind":"user-rejected"`)
	d.calls("4", "r3", "Agent", input)
	d.result("r4", "4", `"it failed"`, true)
	d.calls("5", "r4", "Agent", input)
	tr := d.only(t)
	if n := tr.Count().Subagents; n != 2 {
		t.Errorf("%d sub-agents, not the one that was stopped and the one that works", n)
	}
	child := newDraft(one)
	child.text("q1", "", "dig", `,"agentId":"x"`)
	dir := t.TempDir()
	file(t, filepath.Join(dir, "-p", one, "subagents/agent-x.jsonl"), child.lines[0]+"\n")
	file(t, filepath.Join(dir, "-p", one, "subagents/agent-x.meta.json"), `{"toolUseId":"c4"}`)
	trace.Link(append(tracetest.Read(t, claude.New(), dir).Ordered(), tr))
	if n := tr.Count().Subagents; n != 3 {
		t.Errorf("with the sub-agent of the fourth call there are %d", n)
	}
}

// Very old clients wrote a sub-agent's records into the file of its session.
func TestInlineAgents(t *testing.T) {
	d := newDraft(one)
	d.turn = ""
	side := func(line int) {
		d.lines[line] = strings.Replace(d.lines[line], `"isSidechain":false`, `"isSidechain":true`, 1)
	}
	d.text("p1", "", "do")
	d.calls("1", "p1", "Task", `{"description":"dig","prompt":"dig deep","subagent_type":"digger"}`)
	d.calls("2", "1", "Task", `{"description":"see","prompt":"see far","subagent_type":"seer"}`)
	d.text("s1", "", "see far")
	side(3)
	d.text("d1", "", "dig deep")
	side(4)
	d.calls("3", "d1", "Bash", `{"command":"dig"}`)
	side(5)
	d.answers("s2", "s1")
	side(6)
	d.result("d2", "3", `"dug"`, false)
	side(7)
	d.result("r2", "2", `"seen"`, false)
	d.result("r1", "1", `"dug"`, false)
	d.answers("a", "r1")
	s := d.read(t)
	if len(s.Traces) != 3 {
		t.Fatalf("%d traces", len(s.Traces))
	}
	tells(t, s.Traces[one], "user call:Task spawn:"+one+"/d1 call:Task spawn:"+one+"/s1 result:completed result:completed agent")
	tells(t, s.Traces[one+"/d1"], "user:other call:Bash result:completed")
	tells(t, s.Traces[one+"/s1"], "user:other agent")
	if r := s.Traces[one+"/s1"].Relationships[0]; r.Kind != trace.Subagent || r.Related != one || r.ParentCall != "c2" || r.AgentType != "seer" ||
		r.Provenance != trace.Inferred || r.Evidence == "" {
		t.Errorf("%+v", r)
	}
	if n := s.Traces[one].Count(); n.Calls != 2 || n.Subagents != 2 || n.Responses != 3 {
		t.Errorf("%+v", n)
	}
}
