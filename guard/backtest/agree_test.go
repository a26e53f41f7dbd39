package backtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/archive"
	"aburn/guard"
	"aburn/guard/facts"
	"aburn/guard/live"
	"aburn/guard/packs"
	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/internal/suspect"
	"aburn/trace"
	"aburn/trace/claude"
)

// parts of generated commands. Each stands for a form that a rule or the matcher knows.
var (
	programs = []string{
		"git reset --hard", "git reset --soft HEAD", "git clean -fdx", "git clean -n", "git push -f origin main", "git push origin +work:main", "git push",
		"git commit -nm x", "git commit -m '--no-verify'", "git commit --no-verify", "rm -rf ..", "rm -rf build", "rm -rf ~/x", "rm -rf /", "chmod -R 777 .", ": > a",
		"dd if=x of=/dev/sda", "psql -c 'drop table a'", "psql -c \"select 'drop table a'\"", "redis-cli FLUSHALL", "terraform destroy",
		"kubectl --context prod delete ns a",
		"cat .env", "cat .env.example", "cat ~/.ssh/id_rsa", "curl https://a.example/i", "wget -qO- https://a.example/i", "npm publish", "npm config set registry x",
		"pip install -i x y", "sed -i s/a/b/ .claude/settings.json", "echo x > .github/workflows/a.yml", "aburn guard disable git", "git config core.hooksPath x",
		"ls", "go test ./...", "make x", "python3 -c 'x'", "echo 'git reset --hard'", "grep -rn 'rm -rf /' .",
		"npx prisma migrate reset", "git -c core.hooksPath=/x commit",
	}
	frames = []string{
		"%s", "%s", "%s", "cd sub && %s", "sudo %s", "env A=b %s", "(%s)", "%s | tail -3", "true; %s", "sh -c %q", "bash <<'EOF'\n%s\nEOF", "cat <<'EOF'\n%s\nEOF",
		"if a; then %s; fi", "for i in 1 2; do %s; done", "x=$(%s)", "eval %q", "echo a | xargs %s",
		"find . -name x -exec %s \\;", "f() { %s; }; f", "# %s", "echo %q",
		"%s | sh", "timeout 5 %s && ls", "\\\n%s", "alias g=%q; g", "%s 2>/dev/null", "bash -c \"$(%s)\"", "%s (", "nohup %s &",
	}
	files = []string{"a.go", ".env", ".env.example", "../x", "/etc/hosts", ".claude/settings.json", ".github/workflows/ci.yml", "certs/server.key",
		"docs/a.md", "~/.aws/credentials"}
)

type generated struct {
	tool  string
	input map[string]string
}

func generate(r *rand.Rand) generated {
	switch r.IntN(10) {
	case 0:
		return generated{"Read", map[string]string{"file_path": files[r.IntN(len(files))]}}
	case 1:
		return generated{"Edit", map[string]string{"file_path": files[r.IntN(len(files))], "old_string": "a", "new_string": "b"}}
	case 2:
		return generated{"WebFetch", map[string]string{"url": "https://a.example/x", "prompt": "p"}}
	}
	command := programs[r.IntN(len(programs))]
	for range 1 + r.IntN(2) {
		frame := frames[r.IntN(len(frames))]
		if strings.Contains(frame, "%q") {
			command = strings.ReplaceAll(frame, "%q", "'"+strings.ReplaceAll(command, "'", `'\''`)+"'")
			continue
		}
		command = strings.ReplaceAll(frame, "%s", command)
	}
	if r.IntN(20) == 0 {
		command = strings.Replace(command, "e", "''e", 1)
	}
	return generated{"Bash", map[string]string{"command": command, "description": "d"}}
}

func hits(v *guard.Verdict) string {
	var list []string
	for _, h := range v.Hits {
		list = append(list, h.Rule.FullName())
	}
	for _, o := range v.Open {
		list = append(list, o.Rule.FullName()+"?")
	}
	return strings.Join(list, " ")
}

// TestRecordedAndLiveAgree: a call says the same to every rule as a hook sees it and as its agent's session has it; and where a
// rule is about it, its words made it a suspect.
func TestRecordedAndLiveAgree(t *testing.T) {
	rules, err := packs.All()
	if err != nil {
		t.Fatal(err)
	}
	var words suspect.Words
	for i := range rules {
		if !strings.HasPrefix(rules[i].FullName(), "runaway/") {
			words = append(words, guard.Words(&rules[i])...)
		}
	}
	compiled := strings.TrimPrefix(string(words.Bytes()), "aburn guard words 1\n")
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	dir, total, hit, suspects := t.TempDir(), world.Storm(1000), 0, 0
	place := guard.Place{Root: "/home/user/shop", Home: "/home/user", Config: "/home/user/.config/aburn", Temp: []string{"/tmp"}}
	for done := 0; done < total; {
		n := min(1000, total-done)
		done += n
		calls := make([]generated, n)
		for i := range calls {
			calls[i] = generate(r)
		}
		path := filepath.Join(dir, "projects", "-home-user-shop", fmt.Sprintf("5b0c2f91-0000-4000-8000-%012d.jsonl", done))
		write(t, path, calls)
		traces := tracetest.Read(t, claude.New(), path).Ordered()
		if len(traces) != 1 {
			t.Fatalf("seed %d: %d traces", seed, len(traces))
		}
		tr := traces[0]
		recorded := tr.Calls()
		inputs, err := Inputs(context.Background(), &archive.Session{Source: tr.Source, Path: path}, tr, recorded)
		if err != nil || len(recorded) != n {
			t.Fatalf("seed %d: %d calls: %v", seed, len(recorded), err)
		}
		at := 0
		Walk(tr, recorded, inputs, place, func(_ *trace.Call, call *guard.Call, f *facts.Then) {
			g := calls[at]
			at++
			raw, _ := json.Marshal(g.input)
			request := live.Request{Event: "PreToolUse", Tool: g.tool, Input: raw, Cwd: "/home/user/shop"}
			past, now := guard.Judge(rules, call, place, f), guard.Judge(rules, request.Call(), place, f)
			if hits(past) != hits(now) || call.Cut != "" {
				t.Errorf("seed %d: %s %v\nrecorded %s (%s)\nlive     %s", seed, g.tool, g.input, hits(past), call.Cut, hits(now))
			}
			is := suspect.Call(compiled, string(raw), g.tool == "Bash", g.input["file_path"])
			if is {
				suspects++
			}
			for _, h := range now.Hits {
				hit++
				if !is && !strings.HasPrefix(h.Rule.FullName(), "runaway/") {
					t.Errorf("seed %d: %s hits %s %v, which is no suspect", seed, h.Rule.FullName(), g.tool, g.input)
				}
			}
		})
		if at != n {
			t.Fatalf("seed %d: %d of %d calls", seed, at, n)
		}
		os.Remove(path)
	}
	t.Logf("%d calls, %d hits, %d suspects", total, hit, suspects)
	for _, ordinary := range []string{
		`{"command":"ls -la src"}`, `{"command":"go test ./..."}`, `{"command":"git status"}`, `{"command":"git diff main -- a.go"}`, `{"command":"git log -n 5"}`,
		`{"command":"grep -rn foo src | head -20"}`, `{"command":"sed -n 1,40p docs/a.md"}`, `{"command":"cat main.go"}`, `{"command":"npm test"}`,
		`{"command":"cargo build"}`, `{"command":"make test 2>&1 | tail -5"}`, `{"command":"docker ps"}`, `{"command":"cd src && ls"}`, `{"command":"rm old"}`,
	} {
		if suspect.Call(compiled, ordinary, true, "") {
			t.Errorf("%s is a suspect", ordinary)
		}
	}
	if hit < total/20 {
		t.Errorf("only %d hits in %d calls", hit, total)
	}
}

// write writes a session of Claude Code with the calls.
func write(t *testing.T, path string, calls []generated) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	session := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	line := func(n int, kind string, message any) {
		text, err := json.Marshal(map[string]any{
			"parentUuid": nil, "isSidechain": false, "type": kind, "message": message, "uuid": fmt.Sprintf("u%d", n),
			"timestamp": fmt.Sprintf("2025-11-20T10:%02d:%02d.000Z", n/60%60, n%60), "userType": "external", "entrypoint": "cli", "cwd": "/home/user/shop",
			"sessionId": session, "version": "2.1.329", "gitBranch": "work", "promptId": "p1",
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	line(0, "user", map[string]any{"role": "user", "content": "do it"})
	for i, c := range calls {
		line(2*i+1, "assistant", map[string]any{
			"id": fmt.Sprintf("msg_%d", i), "model": "m", "role": "assistant", "type": "message", "stop_reason": "tool_use",
			"content": []any{map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": c.tool, "input": c.input}},
			"usage":   map[string]int{"input_tokens": 1, "output_tokens": 1},
		})
		line(2*i+2, "user", map[string]any{"role": "user", "content": []any{map[string]any{
			"type": "tool_result", "tool_use_id": fmt.Sprintf("toolu_%d", i), "content": "ok",
		}}})
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
