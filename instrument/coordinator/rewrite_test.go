package coordinator

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"aburn/instrument"
	"aburn/instrument/provider"
	"aburn/internal/lab/world"
)

const first = "src/f0.mjs"

// TestWhatAModelCanGiveAsAWholeFile: the rules that judge a plan's result judge it, and what they say is mended in one
// dialogue; then the model begins anew.
func TestWhatAModelCanGiveAsAWholeFile(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 1, nil)
	p.config.Mode = Rewrite
	code := goodCode(first)
	with := func(old, later string) provider.Answer {
		if !strings.Contains(code, old) {
			t.Fatal(old)
		}
		return provider.Answer{Response: wholeFile(first, strings.Replace(code, old, later, 1))}
	}
	_, original := work(0)
	ok := provider.Answer{Response: goodFile(first)}
	changed, elided := with("const id = order.id;", "const id = order.ID;"), with("      return await readFile(id);", "      // ... rest of the function")
	cut := provider.Answer{Response: provider.Response{Usage: provider.Usage{Input: 10}}, Err: provider.ErrTruncated}
	for _, tt := range []struct {
		name   string
		say    []provider.Answer
		status instrument.Status
		turns  []int  // of each question
		fact   string // in the last text of the second question
		reason string
	}{
		{"good at once", []provider.Answer{ok}, instrument.Success, []int{1}, "", ""},
		{"with a fence around it", []provider.Answer{{Response: wholeFile(first, "```js\n"+code+"```\n")}, ok}, instrument.Success, []int{1, 3}, "NDS-003: is ```js",
			""},
		{"broken code", []provider.Answer{with("  });\n}", "  });"), ok}, instrument.Success, []int{1, 3}, "NDS-001: the file does not parse", ""},
		{"code is left out", []provider.Answer{elided, ok}, instrument.Success, []int{1, 3}, "ELISION: an added comment stands for code", ""},
		{"other code", []provider.Answer{changed, ok}, instrument.Success, []int{1, 3}, "NDS-003", ""},
		{"a span that nobody ends", []provider.Answer{with("      span.end();\n", ""), ok}, instrument.Success, []int{1, 3}, "CDQ-001", ""},
		{"an effect in an attribute", []provider.Answer{with("span.setAttribute('shop.id', id)", "span.setAttribute('shop.id', (globalThis.a = id))"), ok},
			instrument.Success, []int{1, 3}, "an added expression can run code", ""},
		{"another package", []provider.Answer{with("import { trace,", "import 'child_process';\nimport { trace,"), ok}, instrument.Success, []int{1, 3}, "NDS-003",
			""},
		{"another tracer", []provider.Answer{with("getTracer('shop')", "getTracer('mine')"), ok}, instrument.Success, []int{1, 3}, "CDQ-011", ""},
		{"a span that the registry lacks", []provider.Answer{with("'shop.f0.run'", "'shop.f0.walk'"), ok}, instrument.Success, []int{1, 3},
			`SCH-001: the registry has no span "shop.f0.walk"`, ""},
		{"the same mistake twice, then good", []provider.Answer{changed, changed, ok}, instrument.Success, []int{1, 3, 1}, "NDS-003", ""},
		{"the same mistake for ever", []provider.Answer{changed}, instrument.Failed, []int{1, 3, 1}, "NDS-003", "a rule blocks it: NDS-003"},
		{"another mistake at last", []provider.Answer{elided, with("      span.end();\n", "")}, instrument.Failed, []int{1, 3, 1}, "ELISION",
			"a rule blocks it: CDQ-001"},
		{"no form at last", []provider.Answer{elided, elided, {Response: response(`{"functions":[]}`)}}, instrument.Failed, []int{1, 3, 1}, "ELISION",
			"the model's answer doesn't match the schema"},
		{"no span", []provider.Answer{{Response: wholeFile(first, original)}}, instrument.Unchanged, []int{1}, "", "the model put no span into it"},
		{"no form, then good", []provider.Answer{{Response: response(`{"functions":[]}`)}, ok}, instrument.Success, []int{1, 1},
			"the model's answer doesn't match the schema", ""},
		{"cut off, then good", []provider.Answer{cut, ok}, instrument.Success, []int{1, 1}, "the answer was too long: add fewer spans", ""},
		{"cut off twice", []provider.Answer{cut}, instrument.Failed, []int{1, 1}, "too long", "no file: the answer was cut off at its bound"},
		{"refused", []provider.Answer{{Response: cut.Response, Err: provider.ErrRefused}}, instrument.Failed, []int{1}, "", "no file: the model refused to answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &planner{say: map[string][]provider.Answer{first: tt.say}}
			o := p.options(m)
			o.DryRun, o.Folder = true, nil
			r := p.run(o, Callbacks{})
			var turns []int
			for _, q := range m.whole {
				turns = append(turns, len(q.Turns))
			}
			if !slices.Equal(turns, tt.turns) {
				t.Fatalf("turns %v, want %v", turns, tt.turns)
			}
			if len(turns) > 1 {
				if last := m.whole[1].Turns[turns[1]-1]; !strings.Contains(last.Text, tt.fact) {
					t.Errorf("the second question does not say %q:\n%s", tt.fact, last.Text)
				}
			}
			anew := len(turns) == 3 && strings.HasPrefix(tt.name, "the same")
			if anew && (strings.Contains(m.texts[2], "order.ID") || !strings.Contains(m.texts[2], "again and again is NDS-003")) {
				t.Errorf("the question that begins anew:\n%s", m.texts[2])
			}
			if f := r.Files[0]; f.Status != tt.status || !strings.HasPrefix(f.Reason, tt.reason) || f.Strategy != Rewrite {
				t.Errorf("%s: %s; %v", f.Status, f.Reason, f.Blocking)
			}
			if after := string(r.Files[0].After); (after == code) != (tt.status == instrument.Success) || after != "" && after != code {
				t.Errorf("the file would be\n%s", after)
			}
		})
	}
}

// TestBothModesLeaveTheSame: with the same spans the branch has the same files, whoever wrote them.
func TestBothModesLeaveTheSame(t *testing.T) {
	world.Slow(t)
	var text []string
	for _, mode := range []string{Plan, Rewrite} {
		p := newProject(t, 3, nil)
		p.config.Mode = mode
		r := p.run(p.options(&planner{}), Callbacks{})
		if r.Succeeded != 3 || r.Stopped != "" || r.Files[1].Functions[0].Name != "work1" || r.Files[1].Functions[0].Tier != 1 ||
			r.Files[1].Categories.ExternalCalls != 1 || r.Files[1].AttributesUsed != 1 || r.Files[1].SpansAdded != 1 {
			t.Errorf("%s: %+v %+v", mode, r, r.Files[1])
		}
		all := p.read("telemetry/aburn-spans.yaml")
		for i := range 3 {
			path, _ := work(i)
			all += p.read(path)
		}
		text = append(text, all)
		log := p.git("log", "--format=%b", "main..HEAD")
		if strings.Contains(log, "A model wrote the file anew") != (mode == Rewrite) || !strings.Contains(log, "work2: shop.f2.run (shop.id)") {
			t.Errorf("%s:\n%s", mode, log)
		}
		p.state = t.TempDir()
		again := &planner{}
		if r := p.run(p.options(again), Callbacks{}); len(again.asked) > 0 || r.Processed > 0 {
			t.Errorf("%s: a second run asked %v", mode, again.asked)
		}
	}
	if text[0] != text[1] {
		t.Errorf("plan:\n%s\nrewrite:\n%s", text[0], text[1])
	}
}

// TestAFileThatCannotBeSentWhole is refused before anybody is asked; plans are made of it without what is secret.
func TestAFileThatCannotBeSentWhole(t *testing.T) {
	world.Slow(t)
	_, text := work(0)
	secret := "const key = '" + "sk-ant-" + "api03-" + strings.Repeat("aB3dE5", 16) + "';\n"
	for name, tt := range map[string]struct{ text, reason string }{
		"a secret":         {text + secret, "line 6 holds what looks like a secret; mode plan"},
		"a hidden control": {text + "// \u202e\n", "line 6 holds a character that no model is shown"},
		"too long":         {text + strings.Repeat("// the same line again and again\n", 3000), "the file has about "},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, 2, map[string]string{first: tt.text})
			p.config.Mode, p.config.MaxTokensPerFile = Rewrite, 0
			m := &planner{}
			var ceiling Ceiling
			r := p.run(p.options(m), Callbacks{OnCeiling: func(c Ceiling) bool { ceiling = c; return true }})
			if got := strings.Join(m.asked, " "); got != "src/f1.mjs" || r.Files[0].Status != instrument.Failed || !strings.HasPrefix(r.Files[0].Reason, tt.reason) ||
				r.Succeeded != 1 || p.read(first) != tt.text {
				t.Errorf("asked %s; %+v", got, r.Files[0].FileResult)
			}
			if c := ceiling.Each[0]; c.Calls != 0 || c.MaxTokens != 0 || !strings.HasPrefix(c.Note, "it is not asked about: ") || ceiling.Calls != 3 {
				t.Errorf("%+v", ceiling)
			}
		})
	}
	p := newProject(t, 1, map[string]string{first: text + secret})
	m := &planner{}
	if r := p.run(p.options(m), Callbacks{}); r.Succeeded != 1 || strings.Contains(m.texts[0], "sk-ant") || !strings.Contains(p.read(first), secret) {
		t.Errorf("%+v\n%s", r.Files[0].FileResult, m.texts)
	}
}

// TestTheOriginalsWriting comes back: ends of lines, byte order mark, last newline.
func TestTheOriginalsWriting(t *testing.T) {
	world.Slow(t)
	_, text := work(0)
	original := "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n")
	p := newProject(t, 1, map[string]string{first: original})
	p.config.Mode = Rewrite
	m := &planner{say: map[string][]provider.Answer{first: answers(wholeFile(first, strings.TrimSuffix(goodCode(first), "\n")))}}
	r := p.run(p.options(m), Callbacks{})
	if want := "\uFEFF" + strings.ReplaceAll(goodCode(first), "\n", "\r\n"); r.Succeeded != 1 || p.read(first) != want {
		t.Errorf("%+v\n%q", r.Files[0].FileResult, p.read(first))
	}
	if strings.ContainsAny(m.texts[0], "\r\uFEFF") {
		t.Error("the model is shown how lines end")
	}
}

// TestUnusedNamesStayOutOfTheRegistry.
func TestUnusedNamesStayOutOfTheRegistry(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 1, nil)
	p.config.Mode = Rewrite
	answer := strings.Replace(string(goodFile(first).JSON), `"newAttributes":[]`,
		`"newAttributes":[{"key":"shop.extra","type":"string","brief":"b","examples":["a"]}]`, 1)
	r := p.run(p.options(&planner{say: map[string][]provider.Answer{first: answers(response(answer))}}), Callbacks{})
	if f := r.Files[0]; r.Succeeded != 1 || f.AttributesCreated != 0 || !slices.Contains(f.Dropped, "registry, attribute shop.extra: the code does not use it") {
		t.Errorf("%+v", f.FileResult)
	}
}

// TestTheBudgetOfWholeFiles: what is to be mended is sent again, and counts before it is.
func TestTheBudgetOfWholeFiles(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 1, nil)
	p.config.Mode = Rewrite
	var plan, ceiling Ceiling
	p.config.MaxFixAttempts = 1
	bad := wholeFile(first, strings.Replace(goodCode(first), "order.id", "order.ID", 1))
	m := &planner{say: map[string][]provider.Answer{first: answers(bad)}}
	p.run(p.options(m), Callbacks{OnCeiling: func(c Ceiling) bool { ceiling = c; return true }})
	p.config.Mode, p.state = Plan, t.TempDir()
	p.git("switch", "-q", "main")
	_, err := Run(t.Context(), p.options(m), Callbacks{OnCeiling: func(c Ceiling) bool { plan = c; return false }})
	if _, ok := err.(*Declined); !ok {
		t.Fatal(err)
	}
	if each := ceiling.Each[0]; ceiling.Calls != 2 || each.MaxTokens < 2*(each.Input+each.Output)+each.Output || each.Output <= plan.Each[0].Output {
		t.Errorf("%+v\n%+v", ceiling, plan)
	}
	asked := 0
	for _, turn := range m.whole[1].Turns {
		asked += len(turn.Text)
	}
	if got := ceiling.Each[0].MaxTokens; asked*2/7 > got {
		t.Errorf("a question of %d bytes, and the ceiling is %d tokens", asked, got)
	}
}

// TestEachKindOfProvider in each mode: a list of answers, the Messages API, and each coding agent's command.
func TestEachKindOfProvider(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	bad := strings.Replace(goodCode(first), "order.id", "order.ID", 1)
	say := map[string][]provider.Response{Plan: {goodPlan(first)}, Rewrite: {wholeFile(first, bad), goodFile(first)}}
	for _, mode := range []string{Plan, Rewrite} {
		for name, make := range map[string]func(*testing.T, []provider.Response) provider.Provider{"script": scripted, "api": served} {
			t.Run(mode+"/"+name, func(t *testing.T) { oneFile(t, mode, make(t, say[mode]), len(say[mode])) })
		}
		for _, name := range provider.Names() {
			if name != (&provider.API{}).Name() {
				t.Run(mode+"/"+name, func(t *testing.T) { oneFile(t, mode, started(t, name, say[mode]), len(say[mode])) })
			}
		}
	}
}

func oneFile(t *testing.T, mode string, from provider.Provider, calls int) {
	p := newProject(t, 1, nil)
	p.config.Mode, p.config.AgentModel = mode, "m"
	if r := p.run(p.options(from), Callbacks{}); r.Succeeded != 1 || r.Calls != calls || r.Usage.Total() != calls*120 || p.read(first) != goodCode(first) {
		t.Errorf("%d calls, %+v, stopped %q; %s: %s\n%s", r.Calls, r.Usage, r.Stopped, r.Files[0].Status, r.Files[0].Reason, p.read(first))
	}
}

func scripted(_ *testing.T, list []provider.Response) provider.Provider {
	return &provider.Script{Answers: answers(list...)}
}

// served are the answers of a Messages API on loopback. A dialogue alternates.
func served(t *testing.T, list []provider.Response) provider.Provider {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) != 1+2*n || n > 0 &&
			(q.Messages[1].Role != "assistant" || !strings.Contains(q.Messages[2].Content, "NDS-003")) {
			t.Errorf("%+v %v", q, err)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "stop_reason": "tool_use", "usage": map[string]int{"input_tokens": 100, "output_tokens": 20},
			"content": []any{map[string]any{"type": "tool_use", "name": "answer", "input": list[min(n, len(list)-1)].JSON}}})
		n++
	}))
	t.Cleanup(server.Close)
	return &provider.API{URL: server.URL, Key: "k"}
}

// started is a stand-in for a coding agent: it prints, or writes where it is told, what is said in turn.
func started(t *testing.T, name string, list []provider.Response) provider.Provider {
	bin, home := t.TempDir(), t.TempDir()
	for i, r := range list {
		if err := os.WriteFile(filepath.Join(home, string(rune('1'+i))), r.JSON, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const script = `#!/bin/sh
[ "$1" = --version ] && { echo 2; exit 0; }
echo x >> "$HOME/asked"
n=$(grep -c x "$HOME/asked")
cat > "$HOME/question$n"
while [ $# -gt 0 ]; do [ "$1" = --output-last-message ] && to=$2; shift; done
if [ "$to" ]; then
  cat "$HOME/$n" > "$to"
  echo '{"type":"turn.completed","usage":{"input_tokens":100,"output_tokens":20}}'
else
  printf '{"is_error":false,"structured_output":%s,"modelUsage":{"m":{"inputTokens":100,"outputTokens":20}}}\n' "$(cat "$HOME/$n")"
fi
`
	if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	p, err := provider.Find(name, append(os.Environ(), "HOME="+home))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if len(list) > 1 {
			text, err := os.ReadFile(filepath.Join(home, "question2"))
			if err != nil || !strings.Contains(string(text), "\nYou answered:\n{\"code\":") || !strings.Contains(string(text), "NDS-003") {
				t.Errorf("the second question lacks the first answer: %v\n%s", err, text)
			}
		}
	})
	return p
}
