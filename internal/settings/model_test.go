package settings

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/supervisor/limits"
	"aburn/workflow"
)

// own is a user's own file, read, and its warnings.
func own(t *testing.T, text string) (*Settings, string) {
	t.Helper()
	h := newHome(t)
	h.write(ownFile, text)
	s := h.load()
	s.Model()
	return &s, strings.ReplaceAll(h.warnings(s), "~/"+ownFile+":", "")
}

func TestNoKeysNoModel(t *testing.T) {
	h := newHome(t)
	h.mark()
	h.write(projectFile, string(Default()))
	h.load()
	s := Load(nil, func(string) string { return "" })
	if s.model != nil || s.later != nil {
		t.Error("built though nobody asked")
	}
	want := workflow.Default()
	if got := s.Model(); !reflect.DeepEqual(*got, want) || got != s.Model() {
		t.Errorf("%+v", got)
	}
}

func TestModel(t *testing.T) {
	s, warnings := own(t, `{
  "workflow": {
    "commands": ["plan", "review", "build"],
    "after": {"build": "plan", "plan": ""},
    "outputs": {"review": ["*.md", "*.txt"], "plan": []},
    "milestones": {"review": 3, "build": 0},
    "phases": ["RED", "CHECK?", "GREEN"],
    "tests_only": ["CHECK"],
    "failing_test": [],
    "tests": ["e2e/", "..."],
    "docs": ["*.html"],
    "test_commands": ["...", "ask ci"]
  },
  "timeouts": {"CHECK": "90s", "default": "7m"},
  "supervisor": {"queue_above": 0.95, "suggest_above": "0.5", "cooldown": "1h", "off": ["silence", "loop", "silence"], "loop": {"repeats": 7}, "phase_stuck.timeout": "1h", "declining_velocity.factor": 2.5}
}`)
	if warnings != "" {
		t.Errorf("warnings:\n%s", warnings)
	}
	was := workflow.Default()
	want := workflow.Model{
		Commands: []workflow.Command{{Name: "plan"}, {Name: "review", After: "plan", Outputs: []string{"*.md", "*.txt"}, Milestones: 3},
			{Name: "build", After: "plan"}},
		Phases: []workflow.Phase{{Name: "RED", Timeout: 10 * time.Minute}, {Name: "CHECK", Timeout: 90 * time.Second, Optional: true, TestsOnly: true},
			{Name: "GREEN", Timeout: 5 * time.Minute}},
		Timeout:      7 * time.Minute,
		Tests:        append([]string{"e2e/"}, was.Tests...),
		Docs:         []string{"*.html"},
		TestCommands: append(was.TestCommands, "ask ci"),
	}
	l := limits.Default()
	l.QueueAbove, l.SuggestAbove, l.Cooldown, l.Off, l.LoopRepeats, l.PhaseStuckTimeout, l.DecliningVelocityFactor = 0.95, 0.5, time.Hour,
		[]string{"silence", "loop"}, 7, time.Hour, 2.5
	if got := s.Model(); !reflect.DeepEqual(*got, want) {
		t.Errorf("\n got %+v\nwant %+v", *got, want)
	}
	if got := s.Limits(); !reflect.DeepEqual(got, l) {
		t.Errorf("\n got %+v\nwant %+v", got, l)
	}
}

// Every limit can be set by its name.
func TestEveryLimit(t *testing.T) {
	for _, name := range limits.Names() {
		s, warnings := own(t, `{"supervisor": {"`+name+`": 5}}`)
		changed := limits.Default()
		if err := changed.Set(name, "5"); err != nil || warnings != "" || !reflect.DeepEqual(s.Limits(), changed) {
			t.Errorf("%s: %v %s %+v", name, err, warnings, s.Limits())
		}
	}
}

// The user's file goes before the project's, the environment before both; what is wrong in one leaves the other's.
func TestModelPrecedence(t *testing.T) {
	h := newHome(t)
	h.mark()
	h.write(projectFile,
		`{"workflow": {"phases": ["A", "B"], "commands": ["x", "y", "z"], "after": {"z": "x"}}, "timeouts": {"A": "1m", "B": "1m", "default": "1m"}, `+
			`"supervisor": {"loop.repeats": 5, "silence.after": "5m", "cooldown": 5}}`)
	h.write(ownFile,
		`{"workflow": {"phases": ["B", "C"], "after": {"z": "no"}}, "timeouts": {"B": "2m", "default": "soon"}, "supervisor": {"silence.after": "6m", `+
			`"cooldown": -1}}`)
	h.vars["ABURN_SUPERVISOR_SILENCE_AFTER"] = "7m"
	h.vars["ABURN_SUPERVISOR_QUEUE_ABOVE"] = "2"
	h.vars["ABURN_TIMEOUTS_C"] = "3m"
	s := h.load()
	m, l := s.Model(), s.Limits()
	if len(m.Phases) != 2 || m.TimeoutOf("B") != 2*time.Minute || m.TimeoutOf("C") != 3*time.Minute || m.Timeout != time.Minute || m.Commands[2].After != "x" ||
		l.LoopRepeats != 5 || l.SilenceAfter != 7*time.Minute || l.Cooldown != 5*time.Second || l.QueueAbove != 0.9 {
		t.Errorf("%+v %+v", m, l)
	}
	want := `~/.config/aburn/settings.json:1:52: workflow.after.z should be a command: no is none: ignored
~/p/.oss/settings.json:1:101: timeouts.A: A is no phase: ignored
~/.config/aburn/settings.json:1:95: timeouts.default should be a time like "10m" (at most 24h), or seconds: ignored
~/.config/aburn/settings.json:1:154: supervisor.cooldown should be a time like "10m" (at most 8760h), or seconds: ignored
ABURN_SUPERVISOR_QUEUE_ABOVE: supervisor.queue_above should be a number from 0 to 1: ignored`
	if got := h.warnings(s); got != want {
		t.Errorf("warnings:\n%s\nwant:\n%s", got, want)
	}
}

// Each file is wrong in one place. What it leaves is what the second text says alone; "" is the default.
func TestModelWarnings(t *testing.T) {
	for _, c := range []struct{ text, same, want string }{
		// contradictions
		{`{"workflow": {"after": {"plan": "plan"}}}`, ``, `1:33: workflow.after.plan cannot be plan itself: ignored`},
		{`{"workflow": {"after": {"ideate": "ship"}}}`, ``, `1:35: workflow.after.ideate cannot be ship, which comes after ideate: ignored`},
		{`{"workflow": {"after": {"plan": "ship", "build": "ideate"}}}`, `{"workflow": {"after": {"build": "ideate"}}, "x": 0}`, ``},
		{`{"workflow": {"after": {"ideate": "build", "ship": "ideate"}}}`, `{"workflow": {"after": {"ship": "ideate"}}}`,
			`1:35: workflow.after.ideate cannot be build, which comes after ideate: ignored`},
		{`{"workflow": {"after": {"plan": "paln"}}}`, ``, `1:33: workflow.after.plan should be a command: paln is none (did you mean plan?): ignored`},
		{`{"workflow": {"after": {"paln": "ideate"}}}`, ``, `1:25: workflow.after.paln: paln is no command (did you mean plan?): ignored`},
		{`{"workflow": {"after": {"plan": 5}}}`, ``, `1:33: workflow.after.plan should be the name of a command, or "": ignored`},
		{`{"workflow": {"tests_only": ["RED", "BLUE"]}}`, `{}`, `1:37: workflow.tests_only: BLUE is no phase: ignored`},
		{`{"workflow": {"tests_only": ["GREN"]}}`, ``, `1:30: workflow.tests_only: GREN is no phase (did you mean GREEN?): ignored`},
		{`{"workflow": {"failing_test": "RED"}}`, ``, `1:31: workflow.failing_test should be a list of phases: ignored`},
		{`{"timeouts": {"REED": "1m"}}`, ``, `1:15: timeouts.REED: REED is no phase (did you mean RED?): ignored`},
		{`{"workflow": {"phases": ["A"]}, "timeouts": {"RED": "1m"}}`, `{"workflow": {"phases": ["A"]}}`, `1:46: timeouts.RED: RED is no phase: ignored`},
		{`{"workflow": {"commands": ["a", "b"], "milestones": {"build": 1}}}`, `{"workflow": {"commands": ["a", "b"]}}`,
			`1:54: workflow.milestones.build: build is no command: ignored`},
		// names
		{`{"workflow": {"phases": ["RED", "a b", "GREEN", "RED?", 5, "REFACTOR?"]}}`, ``, `1:33: workflow.phases: "a b" can't be a name: ignored
1:49: workflow.phases: RED is in the list already: ignored
1:57: workflow.phases: 5 can't be a name: ignored`},
		{`{"workflow": {"phases": ["?"]}}`, ``, `1:26: workflow.phases: "?" can't be a name: ignored`},
		{`{"workflow": {"phases": "RED"}}`, ``, `1:25: workflow.phases should be a list of names: ignored`},
		{`{"workflow": {"phases": {"RED": 1}}}`, ``, `1:26: "workflow.phases.RED" is not a setting: ignored`},
		{`{"workflow": {"phases": null}}`, ``, `1:25: workflow.phases should be a list of names: ignored`},
		{`{"workflow": {"commands": ["ideate", "session", "plan?", "plan", "build", "ship", "\u202e"]}}`, ``,
			`1:38: workflow.commands: session is a name that aburn itself uses: ignored
1:49: workflow.commands: "plan?" can't be a name: ignored
1:83: workflow.commands: "\u202e" can't be a name: ignored`},
		{`{"workflow": {"commands": []}}`, `{"workflow": {"commands": []}}`, ``},
		// lists and numbers
		{`{"workflow": {"outputs": {"plan": ["docs/*.md", "[", "*.md"]}}}`, ``,
			`1:36: workflow.outputs.plan: "docs/*.md" must not have a slash: it is compared with a file's name: ignored
1:49: workflow.outputs.plan: "[" is no pattern: ignored`},
		{`{"workflow": {"outputs": {"no such": []}}}`, ``, `1:27: "workflow.outputs.no such" is not a setting: ignored`},
		{`{"workflow": {"milestones": {"build": 1.5}}}`, ``, `1:39: workflow.milestones.build should be a whole number from 0 to 1000: ignored`},
		{`{"workflow": {"tests": ["...", "", "/", [1]]}}`, ``, `1:32: workflow.tests: "" is no pattern: ignored
1:36: workflow.tests: / is no pattern: ignored
1:41: workflow.tests: "[1]" should be a text of at most 256 bytes: ignored`},
		{`{"workflow": {"tests": "*.t"}}`, ``, `1:24: workflow.tests should be a list of texts: ignored`},
		{`{"workflow": {"test_commands": ["...", "a  b", " "]}}`, ``, `1:40: workflow.test_commands: "a  b" should be words with a blank between: ignored
1:48: workflow.test_commands: " " should be words with a blank between: ignored`},
		{`{"supervisor": {"off": ["silense"]}}`, ``, `1:25: supervisor.off: silense is no type of issue (did you mean silence?): ignored`},
		{`{"supervisor": {"off": "silence"}}`, ``, `1:24: supervisor.off should be a list of types of issues: ignored`},
		{`{"supervisor": {"loop": {"repeat": 5}}}`, ``, `1:26: "supervisor.loop.repeat" is not a setting (did you mean supervisor.loop.repeats?): ignored`},
		{`{"supervisor": {"loop": 5}}`, ``, `1:17: "supervisor.loop" is a group of settings, like supervisor.loop.repeats: ignored`},
		{`{"supervisor": {"loop.repeats": 1}}`, ``, `1:33: supervisor.loop.repeats should be a whole number from 2 to 1000: ignored`},
		{`{"supervisor": {"loop.repeats": []}}`, ``, `1:33: supervisor.loop.repeats should be a whole number from 2 to 1000: ignored`},
		{`{"supervisor": {"silence.after": "long"}}`, ``, `1:34: supervisor.silence.after should be a time like "10m", from 1s to 168h, or seconds: ignored`},
		{`{"supervisor": {"queue_above": 90}}`, ``, `1:32: supervisor.queue_above should be a number from 0 to 1: ignored`},
		{`{"workflow": {"test_only": []}}`, ``, `1:15: "workflow.test_only" is not a setting (did you mean workflow.tests_only?): ignored`},
		{`{"workflow": 1}`, ``, `1:2: "workflow" is a group of settings, like workflow.commands: ignored`},
	} {
		got, warnings := own(t, c.text)
		same, _ := own(t, c.same)
		if c.want != "" && warnings != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, warnings, c.want)
		}
		if c.want != "" && !(reflect.DeepEqual(got.Model(), same.Model()) && reflect.DeepEqual(got.Limits(), same.Limits())) {
			t.Errorf("%s\n got %+v %+v\nwant %+v %+v", c.text, got.Model(), got.Limits(), same.Model(), same.Limits())
		}
	}
	// Two wishes that make a circle only together: one of them counts.
	s, warnings := own(t, `{"workflow": {"after": {"plan": "ship", "ideate": ""}}}`)
	m := s.Model()
	if strings.Count(warnings, "\n") != 0 || !strings.Contains(warnings, "workflow.after.plan cannot be ship, which comes after plan") ||
		m.Commands[1].After != "ideate" {
		t.Error(warnings, m.Commands)
	}
}

// A chain may be turned round, though halfway there it is a circle.
func TestOrderIsJudgedAsAWhole(t *testing.T) {
	s, warnings := own(t, `{"workflow": {"after": {"ideate": "plan", "plan": "build", "build": "ship", "ship": ""}}}`)
	m := s.Model()
	if warnings != "" || m.Next("ship") != "build" || m.Next("build") != "plan" || m.Next("plan") != "ideate" {
		t.Error(warnings, m.Commands)
	}
}

// Each row says all that is asked of it, and can be found.
func TestTable(t *testing.T) {
	groups := make(map[string]bool)
	for i := range settings {
		row := &settings[i]
		before, placeholder := row.placeholder()
		if found, name := find(before + strings.ToLower(placeholder)); found != row || name != strings.ToLower(placeholder) {
			t.Errorf("%s: finds %+v, %s", row.key, found, name)
		}
		if model := ofModel(row.key); model != (row.set == nil && row.env == "") || !model && row.env != variable(row.key) || model && row.user {
			t.Errorf("%s: is it the model's?", row.key)
		}
		if row.set != nil {
			if wrong := row.set(new(Settings), value{text: row.def, string: true, scalar: true}); wrong != "" {
				t.Errorf("%s: its default %s", row.key, wrong)
			}
		}
		group, _, _ := strings.Cut(row.key, ".")
		if user, ok := groups[group]; ok && user != row.user || row.about == "" {
			t.Errorf("%s: who may set it, what does it mean?", row.key)
		}
		groups[group] = row.user
	}
	if want := (Settings{
		Rotate: 16 << 20, Keep: 512 << 20, Sync: SyncDurable, Watch: Watch{Linger: 10 * time.Minute}, Record: RecordMarked, Snapshots: SnapshotsOff,
		Inject: Inject{ChainOnStart: true},
		Notify: Notify{Desktop: true}, Deliver: Deliver{AgentEnd: true}, Queue: Queue{Expires: time.Hour}, Archive: Archive{AtSessionEnd: true},
	}); !reflect.DeepEqual(defaults(), want) {
		t.Errorf("%+v", defaults())
	}
}

func TestOwnKeys(t *testing.T) {
	h := newHome(t)
	h.write(ownFile,
		`{"notify": {"desktop": false, "bell": true, "command": ["say", "-v", "it"], "min": 0.8}, "deliver": {"in_turn": ["loop", "edit_churn", "loop"], `+
			`"at_stop": true, "agent_end": false}, "queue": {"foreign": true, "expires": "2h"}, "watch.linger": 0}`)
	s := h.load()
	if want := (Notify{Bell: true, Command: []string{"say", "-v", "it"}, Min: 0.8}); !reflect.DeepEqual(s.Notify, want) ||
		!reflect.DeepEqual(s.Deliver, Deliver{InTurn: []string{"loop", "edit_churn"}, AtStop: true}) || s.Queue != (Queue{true, 2 * time.Hour}) ||
		s.Watch.Linger != 0 || s.Warnings != nil {
		t.Errorf("%+v", s)
	}
	for text, want := range map[string]string{
		`"cat > ~/x"`: "", `[]`: "", `["a", 5]`: "wrong", `[""]`: "wrong", `5`: "wrong", `["a\u0000"]`: "wrong", `""`: "",
	} {
		h.write(ownFile, `{"notify": {"command": `+text+`}}`)
		s := h.load()
		if (s.Warnings != nil) != (want != "") || s.Warnings != nil && (s.Notify.Line != "" || s.Notify.Command != nil) {
			t.Errorf("%s: %+v %s", text, s.Notify, h.warnings(s))
		}
	}
	h.write(ownFile, `{"notify": {"command": " cat > ~/x "}}`)
	if s := h.load(); s.Notify.Line != "cat > ~/x" {
		t.Errorf("%+v", s.Notify)
	}
}

// No project and no variable decides what an agent is given, what is run, what is delivered.
func TestOwnKeysAreNoProjects(t *testing.T) {
	own := slices.DeleteFunc(known(nil), func(key string) bool { return !userOnly(key) })
	if len(own) < 9 {
		t.Errorf("%d keys", len(own))
	}
	for some := range slices.Chunk(own, 10) { // of more mistakes in a file not each is told
		h := newHome(t)
		h.mark()
		var file strings.Builder
		for _, key := range some {
			file.WriteString(`"` + key + `": "1",`)
			h.vars[variable(key)] = "1"
		}
		h.write(projectFile, "{"+file.String()+`"log.keep": 1}`)
		s := h.load()
		if s.Keep != 1 || len(s.Warnings) != 2*len(some) {
			t.Errorf("%v: keep %d, warnings %q", some, s.Keep, s.Warnings)
		}
		s.Keep, s.Warnings = defaults().Keep, nil
		got, want := reflect.ValueOf(s), reflect.ValueOf(defaults())
		for i := range got.NumField() {
			if f := got.Type().Field(i); f.IsExported() && !reflect.DeepEqual(got.Field(i).Interface(), want.Field(i).Interface()) {
				t.Errorf("%v: %s is %+v", some, f.Name, got.Field(i))
			}
		}
	}
}

// A file that was made to be slow costs no seconds.
func TestSlowModels(t *testing.T) {
	list := func(item string) string { return "[" + strings.Repeat(item+",", 1<<20/(len(item)+2)) + item + "]" }
	var names, after strings.Builder
	for i := range 20_000 {
		name := "c" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + time.Duration(i).String()
		name = strings.ReplaceAll(name, "µ", "u")
		names.WriteString(`"` + name + `",`)
		after.WriteString(`"` + name + `":"` + name + `",`)
	}
	for name, text := range map[string]string{
		"names":    `{"workflow": {"commands": [` + names.String() + `"x"], "phases": [` + names.String() + `"x"]}}`,
		"after":    `{"workflow": {"commands": [` + names.String()[:100_000] + `"x"], "after": {` + after.String()[:400_000],
		"patterns": `{"workflow": {"tests": ` + list(`"*a*b*c*d"`) + `}}`,
		"off":      `{"supervisor": {"off": ` + list(`"loop"`) + `}}`,
	} {
		if name == "after" {
			text = text[:strings.LastIndex(text, ",")] + "}}}"
		}
		if len(text) > maxFile {
			text = text[:strings.LastIndex(text[:maxFile-100], ",")] + "]}}"
		}
		done := make(chan int, 1)
		go func() { s, _ := own(t, text); m := s.Model(); done <- len(m.Commands) + len(m.Phases) + len(m.Tests) }()
		select {
		case n := <-done:
			if n > maxItems+2*maxNames {
				t.Errorf("%s: %d", name, n)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: takes longer than 2 min", name)
		}
	}
}
