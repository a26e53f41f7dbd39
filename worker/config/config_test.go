package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what is translated")

// folder is a project with files, and a person's own file.
func folder(t *testing.T, files map[string]string) Places {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := Places{Root: filepath.Join(dir, "code", "shop"), User: filepath.Join(dir, "workers.yaml"), Home: dir}
	if err := os.MkdirAll(p.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := map[string]string{"user": p.User, "beside": filepath.Join(dir, "code", ours)}[name]
		if path == "" {
			path = filepath.Join(p.Root, name)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", p.Root)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func load(t *testing.T, p Places) *Config {
	t.Helper()
	c, err := Load(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTranslation: the usual forms of agent-orchestrator.yaml load, and what each key became stands in testdata.
func TestTranslation(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.yaml")
	if len(files) != 5 {
		t.Fatal(files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := folder(t, map[string]string{theirs: string(text)})
		got, err := json.MarshalIndent(load(t, p), "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		got = []byte(strings.ReplaceAll(string(got), p.Home, "HOME") + "\n")
		golden := strings.TrimSuffix(file, ".yaml") + ".json"
		if *update {
			os.WriteFile(golden, got, 0o644)
		}
		want, _ := os.ReadFile(golden)
		if string(got) != string(want) {
			t.Errorf("%s:\n%s", file, got)
		}
	}
}

func TestMistakesHaveALine(t *testing.T) {
	for _, c := range []struct{ text, want, known string }{
		{"base: main\nmodle: x\n", `2: unknown key "modle"`, "model"},
		{"projects:\n  shop:\n    agentConfig:\n      model: a\n    setp: x\n", `5: unknown key "projects.shop.setp"`, "setup"},
		{"reactions:\n  ci-faild:\n    retries: 1\n", `2: unknown key "reactions.ci-faild"`, "ci-failed"},
		{"reactions:\n  ci-failed:\n    escalateAfter: soon\n", `3: reactions.ci-failed.escalateAfter: a time such as 90s or 30m, not "soon"`, ""},
		{"base: [a]\n", "1: base is one word or text", ""},
		{"setup_timeout: long\n", `1: setup_timeout is a time such as 90s or 5m, not "long"`, ""},
		{"max_workers: -1\n", `1: max_workers is a number of 0 or more, not "-1"`, ""},
		{"base: a\nbase: b\n", "2: base stands here and in line 1", ""},
		{"copy: ['../secrets']\n", `1: copy: "../secrets" does not stay below the root of the project`, ""},
		{"link: [/etc]\n", "", ""},
		{"ports: {PORT: 99999}\n", "1: ports: PORT: 99999 is no port", ""},
		{"ports: ['A B']\n", `1: ports: "A B" is no name of a variable, or stands twice`, ""},
		{"workspace: here\n", `1: workspace: one of worktree, clone, not "here"`, ""},
		{"runtime: docker\n", `1: runtime: one of tmux, pty, headless, process, not "docker"`, ""},
		{"merge: fast\n", `1: merge: one of forward, merge, squash, rebase, not "fast"`, ""},
		{"- a\n", "1: the file has no keys", ""},
		{"projects: 3\n", "1: projects holds other keys, and no value", ""},
		{"a: b: c\n", "1: mapping values are not allowed in this context", ""},
		{"x: &x {<<: *x}\n", `1: unknown key "x"`, ""},
		{"lifecycle: {a: &a [1], b: *a}\nbase: a\n---\nbase: b\n", "1: has more than one document", ""},
		{strings.Repeat("reactions: {ci-failed: {auto: ", 1) + "1}}\n", `1: reactions.ci-failed.auto is true or false, not "1"`, ""},
	} {
		p := folder(t, map[string]string{ours: c.text})
		_, err := Load(p)
		var m *Mistake
		if c.want == "" {
			if err != nil { // it waits for a person's word, and is looked at then
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if !errors.As(err, &m) || err.Error() != filepath.Join(p.Root, ours)+":"+c.want {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if c.known != "" && !slices.Contains(m.Known, c.known) {
			t.Errorf("%s: %v", c.text, m.Known)
		}
	}
}

// TestPlacesAndSizes: what the person's own file says of where trees lie, of room and of snapshots.
func TestPlacesAndSizes(t *testing.T) {
	for _, c := range []struct{ text, dir, wrong string }{
		{text: "dir: .trees\nsnapshots: 5\ndisk: {min_free: 500 MiB}\nenv_file: sub/.env.ports\n", dir: "HOME/.trees"},
		{text: "dir: ~/trees\nsnapshots: 5\ndisk: {min_free: 524288000}\n", dir: "HOME/trees"},
		{text: "projects: {shop: {path: ROOT, dir: /mnt/trees, snapshots: 5, disk: {min_free: 0.5G}}}\n", dir: "/mnt/trees"},
		{text: "snapshots: 0\n", wrong: "1: snapshots: from 1 to 1000, not 0"},
		{text: "disk: {min_free: much}\n", wrong: `1: disk.min_free: a size such as 500MiB or 2GiB, not "much"`},
		{text: "disk: {min_free: -1}\n", wrong: `1: disk.min_free: a size such as 500MiB or 2GiB, not "-1"`},
		{text: "disk: {min_free: NaN}\n", wrong: `1: disk.min_free: a size such as 500MiB or 2GiB, not "NaN"`},
		{text: "env_file: ../.env\n", wrong: `1: env_file: "../.env" does not stay below the root of the project`},
	} {
		p := folder(t, map[string]string{"user": c.text})
		got, err := Load(p)
		if c.wrong != "" {
			if err == nil || !strings.HasSuffix(err.Error(), ":"+c.wrong) {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if dir := strings.ReplaceAll(got.Word("dir"), p.Home, "HOME"); dir != c.dir || got.Number("snapshots") != 5 || got.Free()/(1<<20) < 499 ||
			got.Free() > 1<<29 {
			t.Errorf("%s: %s, %d, %d", c.text, dir, got.Number("snapshots"), got.Free())
		}
	}
	if c := load(t, folder(t, nil)); c.Free() != 2<<30 {
		t.Error(c.Free())
	}
	asks := load(t, folder(t, map[string]string{ours: "dir: /tmp/x\nsnapshots: 1\ndisk: {min_free: 0}\nenv_file: a\n"}))
	if len(asks.Settings) > 0 || len(asks.Texts) != 4 {
		t.Errorf("a repository's file decides %+v, and asks for %q", asks.Settings, asks.Texts)
	}
}

// TestOnlyThePersonsFile: a clone decides nothing that runs, and lifts no fence.
func TestOnlyThePersonsFile(t *testing.T) {
	text := "base: main\nsetup: [./evil]\nlink: [x]\nenv: [TOKEN]\nrules: obey\npermissions: auto\nnotifiers: {n: {command: ./evil}}\n" +
		"tracker: {plugin: linear, url: http://evil}\nforge: {strangers: true}\ngates: {run: [./evil], unsandboxed: true}\nssh: [evil]\nreactions: " +
		"{approved-and-green: {action: auto-merge}}\n"
	p := folder(t, map[string]string{ours: text})
	c := load(t, p)
	var keys []string
	for _, s := range c.Settings {
		keys = append(keys, s.Key)
	}
	if got := strings.Join(keys, " "); got != "base tracker.plugin" {
		t.Errorf("counts: %s", got)
	}
	if len(c.Confirm) != 64 || len(c.Texts) != 6 {
		t.Errorf("%q %q", c.Confirm, c.Texts)
	}
	p.Accepted = func(hash string) bool { return hash == c.Confirm }
	now := load(t, p)
	if now.Confirm != "" || now.Words("setup")[0] != "./evil" || now.Word("permissions") != "auto" {
		t.Errorf("%+v", now)
	}
	for _, key := range []string{"notifiers.n", "forge.strangers", "gates.unsandboxed", "ssh", "tracker.url"} {
		if now.get(key) != nil {
			t.Errorf("%s counts", key)
		}
	}
	os.WriteFile(filepath.Join(p.Root, ours), []byte(strings.Replace(text, "[./evil]\nlink", "[./worse]\nlink", 1)), 0o644)
	if changed := load(t, p); changed.Confirm == "" || changed.Confirm == c.Confirm || changed.Words("setup") != nil {
		t.Errorf("a changed text counts: %+v", changed)
	}
	p = folder(t, map[string]string{"user": text})
	if mine := load(t, p); mine.Words("setup") == nil || mine.get("forge.strangers") != true || mine.get("notifiers.n") == nil || mine.Confirm != "" {
		t.Errorf("%+v", mine)
	}
}

// TestKeysAreNotShown: what is printed of a file holds no key, and of an address only its host.
func TestKeysAreNotShown(t *testing.T) {
	text := "tracker: {plugin: gitlab, token: hidden1}\ntrackers:\n  gitlab: {url: 'https://git.example/hidden2', token: hidden3, token_env: GITLAB_TOKEN}\n  " +
		"jira: {command: [ask, -v]}\n" +
		"notifiers:\n  chat: {plugin: slack, webhook: 'https://chat.example/hidden4'}\n  own: {plugin: webhook, url: 'https://own.example/hidden5', headers: " +
		"{X-Auth: hidden6, Other: hidden7}, apiKey: hidden8}\n"
	c := load(t, folder(t, map[string]string{"user": text}))
	b, err := json.Marshal(c)
	if err != nil || strings.Contains(string(b), "hidden") {
		t.Errorf("%s %v", b, err)
	}
	for _, want := range []string{"https://chat.example/…", "https://own.example/…", "GITLAB_TOKEN", `"ask","-v"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in %s", want, b)
		}
	}
	if got, _ := c.Part("notifiers.chat")["webhook"].(string); got != "https://chat.example/hidden4" {
		t.Errorf("%q", got)
	}
}

// TestWhoSaysItNearer: the person's word on this project, then the repository, then the person's word on all.
func TestWhoSaysItNearer(t *testing.T) {
	p := folder(t, map[string]string{
		"user": "base: a\nmodel: m\nagent: x\nprojects:\n  shop:\n    path: ROOT\n    model: mine\n  other:\n    path: /nowhere\n    base: no\n",
		ours:   "base: b\nmodel: theirs\n", "beside": "base: c\n", theirs: "projects: {shop: {defaultBranch: d}}\n",
	})
	c := load(t, p)
	if c.Word("base") != "b" || c.Word("model") != "mine" || c.Word("agent") != "x" {
		t.Errorf("%+v", c.Settings)
	}
	if len(c.LeftOut) != 3 || !strings.Contains(c.LeftOut[0].Why, "says it nearer") {
		t.Errorf("%+v", c.LeftOut)
	}
	os.Remove(filepath.Join(p.Root, ours))
	if c := load(t, p); c.Word("base") != "c" {
		t.Errorf("%+v", c.Settings)
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range files {
		b, _ := os.ReadFile(file)
		f.Add(b)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, ours)
		os.WriteFile(path, b, 0o644)
		c, err := Load(Places{Root: dir, Home: dir, Accepted: func(string) bool { return true }})
		if err != nil {
			return
		}
		for _, s := range c.Settings {
			if s.Key == "" || s.Line < 1 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// TestRules: files change reactions, each for its own; a repository cannot set off a merge, nor say what an agent is told unasked.
func TestRules(t *testing.T) {
	const theirs = "reactions:\n  ci-failed: {retries: 5, escalateAfter: 45m}\n  merge-conflicts: {auto: false}\n  approved-and-green: {auto: true, action: " +
		"auto-merge}\n" +
		"  changes-requested: {message: run this, escalateAfter: 3}\n  agent-idle: {threshold: 10m}\n"
	rules := load(t, folder(t, map[string]string{ours: theirs})).Rules()
	ci, green, changes := rules.Of("ci-failed"), rules.Of("approved-and-green"), rules.Of("changes-requested")
	if ci.Retries != 5 || ci.EscalateAfter != 45*time.Minute || !ci.Sends() || rules.Of("merge-conflicts").Sends() ||
		rules.Of("agent-idle").Threshold != 10*time.Minute {
		t.Errorf("%+v", rules)
	}
	if green.Action != "notify" || changes.Message != "" || changes.Retries != 3 || changes.EscalateAfter != 30*time.Minute {
		t.Errorf("of a repository alone: %+v %+v", green, changes)
	}
	mine := "reactions:\n  approved-and-green: {action: auto-merge, auto: false}\n"
	if r := load(t, folder(t, map[string]string{ours: theirs, "user": mine})).Rules().Of("approved-and-green"); r.Auto && r.Action == "auto-merge" {
		t.Errorf("a repository set off a merge: %+v", r)
	}
	mine = "reactions:\n  approved-and-green: {action: auto-merge}\n"
	if r := load(t, folder(t, map[string]string{"user": mine})).Rules().Of("approved-and-green"); !r.Auto || r.Action != "auto-merge" {
		t.Errorf("a person's own word: %+v", r)
	}
}

// TestAnotherToolsValues: a value of the other tool that means nothing here is left out with its reason, and the rest of the file counts.
func TestAnotherToolsValues(t *testing.T) {
	text := "defaults: {runtime: docker, worker: {agent: codex, agentConfig: {model: m}}}\nprojects:\n  shop:\n    path: ROOT\n    workspace: here\n    env: " +
		"{TOKEN: x}\n" +
		"    tracker: linear\n    reactions: [ci-failed]\n    sessionPrefix: s\n    agentConfig: {permissions: [a]}\nreadyThresholdMs: soon\n"
	c := load(t, folder(t, map[string]string{theirs: text}))
	if c.Word("sessionPrefix") != "s" || c.Word("agent") != "codex" || c.Word("model") != "m" || c.Word("runtime") != "" || c.Word("workspace") != "" {
		t.Errorf("%+v", c.Settings)
	}
	want := map[string]string{
		"defaults.runtime": `one of tmux, pty, headless, process, not "docker"`, "projects.shop.workspace": `one of worktree, clone, not "here"`,
		"projects.shop.env":     "it is a list",
		"projects.shop.tracker": "aburn does not know it", "projects.shop.reactions": "aburn does not know it",
		"projects.shop.agentConfig.permissions": "it is one word or text", "readyThresholdMs": `it is a number of 0 or more, not "soon"`,
	}
	for _, l := range c.LeftOut {
		if want[l.Key] != l.Why {
			t.Errorf("%s: %s", l.Key, l.Why)
		}
		delete(want, l.Key)
	}
	if len(want) > 0 {
		t.Errorf("not said: %v", want)
	}
	ours := load(t, folder(t, map[string]string{ours: "agent: claude\ndefaults: {agent: codex, worker: {agent: gemini}}\n"}))
	if ours.Word("agent") != "claude" {
		t.Errorf("a default wins: %+v", ours.Settings)
	}
}

// TestUsualReactions: what a repository's file says of a reaction needs no word of a person if it happens anyway, or only tells a person.
func TestUsualReactions(t *testing.T) {
	text := "reactions:\n  ci-failed: {action: send-to-agent, retries: 3, escalateAfter: 2}\n  agent-stuck: {action: notify}\n  approved-and-green: " +
		"{action: notify}\n"
	c := load(t, folder(t, map[string]string{theirs: text}))
	if c.Confirm != "" || c.Rules().Of("ci-failed").Retries != 2 {
		t.Errorf("waits for %q, %d attempts", c.Texts, c.Rules().Of("ci-failed").Retries)
	}
	c = load(t, folder(t, map[string]string{theirs: text, "user": "reactions: {ci-failed: {action: notify}}\n"}))
	if len(c.Texts) != 1 || c.Rules().Of("ci-failed").Sends() {
		t.Errorf("the person says otherwise: %q", c.Texts)
	}
	c = load(t, folder(t, map[string]string{theirs: "reactions: {agent-idle: {action: send-to-agent}}\n"}))
	if len(c.Texts) != 1 || c.Rules().Of("agent-idle").Sends() {
		t.Errorf("an agent is told more than usual: %q", c.Texts)
	}
}

// TestUnusedKeys: what nothing uses where it stands is left out by its name, and what stands beside it counts.
func TestUnusedKeys(t *testing.T) {
	p := folder(t, map[string]string{
		ours: "name: Shop\nport: 1\ndashboard: {attentionZones: simple, port: 2}\nscm: {plugin: github, region: x}\ntracker: {plugin: linear, teamId: 7}\n" +
			"notificationRouting: {loud: [desktop], urgent: [desktop]}\nreactions:\n  agent-stuck: {threshold: 10m, priority: info}\n  agent-idle: {threshold: 10m, " +
			"escalateAfter: 2}\n" +
			"  ci-failed: {threshold: 1m, includeSummary: true, retries: 1}\n  agent-exited: {retries: 3, auto: true}\n  all-complete: {includeSummary: true}\n",
		"user": "dashboard: {port: 4790}\nnotifiers: {chat: {plugin: slack, webhook: 'https://example.com/x', channel: ops}}\ntrackers: {linear: {token: t, " +
			"team: x}}\nreactions: {agent-idle: {escalateAfter: 5m}}\n",
	})
	c := load(t, p)
	got := map[string]string{}
	for _, l := range c.LeftOut {
		got[filepath.Base(l.File)+" "+l.Key] = l.Why
	}
	for key, why := range map[string]string{
		"aburn.yaml name": "not used: aburn project add", "aburn.yaml port": "only your own file", "aburn.yaml dashboard.port": "only your own file",
		"aburn.yaml dashboard.attentionZones": "not used: the columns", "aburn.yaml scm.region": "not used: ", "aburn.yaml tracker.teamId": "not used: your own file",
		"aburn.yaml notificationRouting.loud":      "not used: notices have",
		"aburn.yaml reactions.ci-failed.threshold": "not used: only agent-idle", "aburn.yaml reactions.ci-failed.includeSummary": "not used: only all-complete",
		"aburn.yaml reactions.agent-exited.retries": "not used: agent-exited tells a person", "aburn.yaml reactions.agent-exited.auto": "not used: ",
		"workers.yaml notifiers.chat.channel": "not used: of these", "workers.yaml trackers.linear.team": "not used: of these aburn knows url",
		"workers.yaml reactions.agent-idle.escalateAfter": "not used: agent-idle",
	} {
		if !strings.HasPrefix(got[key], why) {
			t.Errorf("%s: %q, want %q", key, got[key], why)
		}
		delete(got, key)
	}
	if len(got) > 0 {
		t.Errorf("also left out: %q", got)
	}
	for _, key := range []string{"scm.plugin", "tracker.plugin", "notificationRouting.urgent", "reactions.agent-stuck.priority", "reactions.agent-stuck.threshold",
		"reactions.agent-idle.threshold", "reactions.agent-idle.escalateAfter", "reactions.all-complete.includeSummary", "notifiers.chat"} {
		if c.Where(key) == "" {
			t.Errorf("%s does not count", key)
		}
	}
	if c.Number("port") != 4790 {
		t.Errorf("port is %d", c.Number("port"))
	}
}

// TestEachKeyIsRead: of each key the table says what uses it, or why nothing does; and a file of the program names what is used.
func TestEachKeyIsRead(t *testing.T) {
	var program strings.Builder
	for _, dir := range []string{".", "../projects", "../daemon", "../launch", "../../cmd/aburn/internal/work"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "keys.go" {
				return err
			}
			text, err := os.ReadFile(path)
			program.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range places() {
		said := 0
		for _, is := range []bool{p.does != "", p.idle != "", p.gone} {
			if is {
				said++
			}
		}
		if name := strings.Join(p.path, "."); said != 1 {
			t.Errorf("%s: the table says %d of: what uses it, why nothing does, that it has no meaning", name, said)
		}
		name := strings.TrimSuffix(cmp.Or(p.as, p.name), "*")
		// by their forms
		if reaction := slices.Contains(p.path, "reactions"); p.does != "" && !strings.Contains(program.String(), `"`+name) &&
			!(reaction && slices.Contains([]string{"retries", "includeSummary"}, name)) {
			t.Errorf("nothing reads %s", name)
		}
	}
}

// TestMaxWorkers: who says nothing gets a bound by the machine; 0 is said by somebody who wants none.
func TestMaxWorkers(t *testing.T) {
	for text, want := range map[string]map[int]int{
		"": {1: 4, 2: 8, 4: 16, 64: 16}, "max_workers: 3\n": {1: 3, 64: 3}, "max_workers: 0\n": {2: 0}, "max_workers: 40\n": {2: 40},
	} {
		c := load(t, folder(t, map[string]string{"user": text}))
		for cores, most := range want {
			if got := c.MaxWorkers(cores); got != most {
				t.Errorf("%q with %d cores: %d, want %d", text, cores, got, most)
			}
		}
	}
}
