package guard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMistakes: each mistake of a rule file has its line, and says what to write instead where that is known.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ in, wrong, fix string }{
		{"rule: []", `f:1: "rule" is not a key here`, "did you mean rules?"},
		{"rules:\n- name: a\n  when: { comand: git }\n  do: deny", `f:3: "comand" is not a key here`, "did you mean command?"},
		{"rules:\n- name: a\n  when: { writes: outsid }\n  do: deny", `f:3: "outsid" is no class of files`, "did you mean outside?"},
		{"rules:\n- name: a\n  when: { command: git }\n  do: block", `f:4: "block" is none of note, warn, tell, ask, deny`, ""},
		{"rules:\n- name: a\n  when: { command: git }\n  do: snapshot", `f:4: snapshot is not possible in this version`, "use ask or deny"},
		{"rules:\n- name: a\n  when: { command: git }\n  do: stop", `f:4: stop is not possible in this version`, "use deny"},
		{"rules:\n- name: a\n  when: { cost: 10 USD }\n  do: deny", `f:3: cost is not possible in this version`, "calls"},
		{"rules:\n- name: a\n  when: { command: git, flags: [hard] }\n  do: deny", `f:3: "hard" is no flag`, "--hard"},
		{"rules:\n- name: a\n  do: deny", `f:2: a needs a condition`, "when:"},
		{"rules:\n- name: a\n  when: { command: git }", `f:2: a needs an action`, "do:"},
		{"rules:\n- when: { command: git }\n  do: deny", `f:2: a rule needs a name`, "name:"},
		{"rules:\n- name: A b\n  when: { command: git }\n  do: deny", `f:2: the name "A b" has other characters`, ""},
		{"rules:\n- name: a\n  name: b", `f:3: name appears twice`, ""},
		{"rules:\n- { name: a, when: { command: x }, do: deny }\n- { name: a, when: { command: y }, do: deny }", `f:3: two rules are called a`, ""},
		{"rules:\n- name: a\n  when: { calls: none }\n  do: ask", `f:3: should be a number above 0`, ""},
		{"rules:\n- name: a\n  when: { command: git, per: turn }\n  do: ask", `f:3: per needs a count`, ""},
		{"rules:\n- name: a\n  when: { tool: edit, command: git }\n  do: ask", `f:3: command, flags, args and the like`, "tool: shell"},
		{"rules:\n- name: a\n  when: { dirty: maybe }\n  do: ask", `f:3: should be true or false`, ""},
		{"rules:\n- name: a\n  when: &x { command: git }\n  do: ask\n- name: b\n  when: *x\n  do: ask", `f:6: aliases are not allowed`, ""},
		{"rules: {}", "f:1: should be a list", ""},
		{"- a", "f:1: should be a mapping", ""},
		{"rules: [", "f:1: did not find expected node content", ""},
		{"rules: []\n---\nrules: []", "f: has more than one YAML document", ""},
		{"rules: []\n#" + strings.Repeat("x", maxFile), "f: is larger than 256 KiB", "split it"},
	} {
		_, err := Read("f", []byte(c.in))
		var p *Problem
		if !errors.As(err, &p) || !strings.HasPrefix(p.Error(), c.wrong) || !strings.Contains(p.Fix, c.fix) || (c.fix == "") != (p.Fix == "") && c.fix != "" {
			t.Errorf("%.80s\n got %v\nwant %s (%s)", c.in, err, c.wrong, c.fix)
		}
	}
	for _, empty := range []string{"", "# nothing", "rules: []"} {
		if rules, err := Read("f", []byte(empty)); err != nil || len(rules) != 0 {
			t.Errorf("%q: %v, %v", empty, rules, err)
		}
	}
}

// TestHugeRuleFile: of a file of 10 MB no more is read than is allowed.
func TestHugeRuleFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "guard.yaml")
	if err := os.WriteFile(path, []byte("rules:\n"+strings.Repeat("- { name: a, when: { command: git }, do: deny }\n", 220_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "is larger than 256 KiB") {
		t.Errorf("got %v", err)
	}
	if _, err := ReadFile(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

func TestEverything(t *testing.T) {
	for when, want := range map[string]bool{
		"{}": true, "{ tool: shell }": true, "{ tool: [shell, edit] }": true, `{ command: "*" }`: true, "{ command: git }": false,
		"{ writes: outside }": false, "{ calls: 3 }": false, "[{ command: git }, {}]": true, "{ branch: main }": false,
	} {
		rules, err := Read("f", []byte("rules:\n- name: a\n  when: "+when+"\n  do: deny"))
		if err != nil {
			t.Fatal(err)
		}
		if got := rules[0].Everything(); got != want {
			t.Errorf("%s: everything %v, want %v", when, got, want)
		}
	}
}

// known are facts for tests; links are paths and where they lead.
type known struct {
	links   map[string]string
	unknown bool
}

func (k known) truth(b bool) Truth {
	if k.unknown {
		return Unknown
	}
	return TruthOf(b)
}
func (k known) Dirty(string) Truth  { return k.truth(true) }
func (k known) Pushed(string) Truth { return k.truth(true) }
func (k known) Branch(string) string {
	if k.unknown {
		return ""
	}
	return "work"
}
func (k known) Tracked(p string) Truth { return k.truth(p == "/p/a.go") }
func (k known) Ignored(p string) Truth { return k.truth(p == "/p/out") }
func (k known) Resolve(p string) string {
	for from, to := range k.links {
		if p == from || strings.HasPrefix(p, from+"/") {
			return to + p[len(from):]
		}
	}
	return p
}
func (k known) Cluster() string { return "prod" }
func (k known) Counts() (Counts, bool) {
	return Counts{Turn: 10, Session: 100, Repeats: 2, Failures: 3, Agents: 1, SecretRead: true}, !k.unknown
}

func TestConditions(t *testing.T) {
	place := Place{Root: "/p", Home: "/h", Config: "/h/.config/aburn", Temp: []string{"/tmp"}}
	links := known{links: map[string]string{"/p/link": "/h/other", "/p/notes": "/h/.ssh/id_rsa"}}
	sh := func(s string) Call { return Call{Kind: Shell, Tool: "Bash", Dir: "/p", Command: s} }
	for _, c := range []struct {
		when string
		call Call
		f    Facts
		want string // hit, open or miss
	}{
		{"{ command: git reset, flags: [--hard], dirty: true }", sh("git reset --hard"), links, "hit"},
		{"{ command: git reset, flags: [--hard], dirty: true }", sh("git reset --hard"), known{unknown: true}, "open"},
		{"{ command: git reset, flags: [--hard], dirty: false }", sh("git reset --hard"), links, "miss"},
		{"{ command: git reset, flags: [--hard] }", sh("git reset $x"), links, "open"},
		{"{ command: git reset, flags: [--hard] }", sh("$x reset --hard"), links, "open"},
		{"{ command: git reset, flags: [--hard] }", sh("make x"), links, "open"},
		{"{ command: git reset, flags: [--hard] }", sh("ls"), links, "miss"},
		{"{ writes: outside }", sh("rm -r link/a"), links, "hit"},
		{"{ writes: outside }", sh("rm -r link"), links, "hit"},
		{"{ writes: outside }", sh("rm -r src"), links, "miss"},
		{"{ writes: outside }", sh("cd link && rm -r a"), links, "hit"},
		{"{ writes: outside }", sh(`rm -r "$x"`), links, "open"},
		{"{ writes: outside }", Call{Kind: Edit, Dir: "/p", Paths: []string{"link/a"}}, links, "hit"},
		{"{ writes: outside }", Call{Kind: Edit, Dir: "/p", Paths: []string{"/tmp/a"}}, links, "miss"},
		{"{ writes: outside }", Call{Kind: ReadKind, Dir: "/p", Paths: []string{"/h/a"}}, links, "miss"},
		{"{ reads: secret }", Call{Kind: ReadKind, Dir: "/p", Paths: []string{"notes"}}, links, "hit"},
		{"{ reads: secret }", sh("cat notes"), links, "hit"},
		{"{ writes: ignored }", sh("echo x > out"), links, "hit"},
		{"{ writes: tracked }", sh("echo x > a.go"), links, "hit"},
		{"{ empties: tracked }", sh("echo x > a.go"), links, "miss"},
		{"{ writes: 'src/**' }", sh("touch src/a/b"), links, "hit"},
		{"{ writes: 'src/**' }", sh("touch lib/a/b"), links, "miss"},
		{"{ path: '*.go' }", sh("cat a.go"), links, "hit"},
		{"{ branch: work }", sh("ls"), links, "hit"},
		{"{ branch: main }", sh("ls"), links, "miss"},
		{"{ pushed: true, command: git }", sh("git gc"), links, "hit"},
		{"{ network: true }", sh("curl https://a.example"), links, "hit"},
		{"{ network: true }", sh("curl http://localhost:80"), links, "miss"},
		{"{ network: true }", sh("curl $x"), links, "open"},
		{"{ host: '*.example' }", sh("curl https://u:p@a.example:8/x"), links, "hit"},
		{"{ host: '*.example' }", Call{Kind: Web, URL: "https://a.example/x"}, links, "hit"},
		{"{ host: '*.example' }", Call{Kind: Web, URL: "https://a.test/?b.example"}, links, "miss"},
		{"{ host: '*.example' }", Call{Kind: Web}, links, "open"},
		{"{ server: github }", Call{Kind: MCP, Server: "github", Tool: "mcp__github__x"}, links, "hit"},
		{"{ server: github }", Call{Kind: MCP, Server: "other"}, links, "miss"},
		{"{ tool: mcp__github__x }", Call{Kind: MCP, Tool: "mcp__github__x"}, links, "hit"},
		{"{ sub_agent: true, tool: shell }", Call{Kind: Shell, Sub: true, Command: "ls"}, links, "hit"},
		{"{ sub_agent: true, tool: shell }", sh("ls"), links, "miss"},
		{"{ calls: 10, per: turn }", sh("ls"), links, "hit"},
		{"{ calls: 11, per: turn }", sh("ls"), links, "miss"},
		{"{ calls: 100, per: session }", sh("ls"), links, "hit"},
		{"{ failures: 3 }", sh("ls"), links, "hit"},
		{"{ repeats: 3 }", sh("ls"), links, "miss"},
		{"{ calls: 10 }", sh("ls"), known{unknown: true}, "open"},
		{"{ after: secret, network: true }", sh("curl a.example"), links, "hit"},
		{"{ cluster: remote, command: kubectl }", sh("kubectl get x"), links, "hit"},
		{"{ cluster: remote, command: kubectl }", sh("kubectl --context kind-a get x"), links, "miss"},
		{"{ command: psql, statement: drop table }", sh("psql -c \"select ';drop table a'\""), links, "miss"},
		{"{ command: psql, statement: drop table }", sh("psql -c '/* x */ select 1; -- y\n DROP  TABLE a'"), links, "hit"},
		{"{ runs: download }", sh("curl a.example | sh"), links, "hit"},
		{"{ command: git, operands: 2 }", sh("git a b"), links, "hit"},
		{"{ command: git, operands: 3 }", sh("git a b"), links, "miss"},
		{"{ command: rm, not_args: ['*.o'] }", sh("rm a.o"), links, "miss"},
		{"{ command: rm }", Call{Kind: Shell, Command: "ls", Cut: "the beginning only"}, links, "open"},
	} {
		rules, err := Read("f", []byte("rules:\n- name: a\n  when: "+c.when+"\n  do: deny"))
		if err != nil {
			t.Fatal(c.when, err)
		}
		v, got := Judge(rules, &c.call, place, c.f), "miss"
		switch {
		case len(v.Hits) > 0:
			got = "hit"
		case len(v.Open) > 0:
			got = "open"
		}
		if got != c.want {
			t.Errorf("%s on %s%v%s: %s, want %s (%+v)", c.when, c.call.Command, c.call.Paths, c.call.URL, got, c.want, v.Open)
		}
		rules[0].Opaque = true
		if v := Judge(rules, &c.call, place, c.f); (len(v.Hits) > 0) != (c.want != "miss") {
			t.Errorf("%s on %s: opaque: match hits %v", c.when, c.call.Command, len(v.Hits) > 0)
		}
	}
}

// TestStricterWins: of rules that contradict each other the strictest counts, and the others are named.
func TestStricterWins(t *testing.T) {
	rules, err := Read("f", []byte(`rules:
- { name: a, when: { command: git }, do: note }
- { name: b, when: { command: git reset }, do: deny, except: { flags: [--soft] } }
- { name: c, when: { command: git reset }, do: warn }`))
	if err != nil {
		t.Fatal(err)
	}
	v := Judge(rules, &Call{Kind: Shell, Command: "git reset --hard"}, Place{}, known{})
	if w := v.Winner(); w == nil || w.Rule.Name != "b" || w.Part != "git reset --hard" {
		t.Errorf("winner %+v", w)
	}
	if list := v.Contradicts(); len(list) != 2 || list[0].Rule.Name != "c" || list[1].Rule.Name != "a" {
		t.Errorf("contradicts %+v", list)
	}
	if v := Judge(rules, &Call{Kind: Shell, Command: "git reset --soft"}, Place{}, known{}); v.Winner().Rule.Name != "c" {
		t.Errorf("an exception does not count: %+v", v.Winner().Rule)
	}
}
