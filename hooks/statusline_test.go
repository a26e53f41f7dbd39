package hooks_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// stateIn is an environment whose state lies in dir.
func stateIn(dir string) func(string) string {
	return func(name string) string {
		return map[string]string{"HOME": dir, "XDG_STATE_HOME": filepath.Join(dir, "state")}[name]
	}
}

// statusLine is what the status line prints of a payload, for a user with these folders.
func statusLine(t *testing.T, payload string, env func(string) string, ended func(root string)) string {
	t.Helper()
	var out bytes.Buffer
	run := hooks.Run{
		Start: time.Now(), Args: []string{"claude", hooks.StatusArg}, Stdin: stdin(t, payload), Stdout: &out, Env: env,
		Agents: []hooks.Agent{claude.Agent()}, Exit: func() { t.Error("it was ended at the deadline") },
	}
	if ended != nil {
		run.Ended = func(_ func(string) string, root, _ string) { ended(root) }
	}
	if err := run.Do(); err != nil {
		t.Errorf("%s: %v", payload, err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

const (
	opus = `"session_id":"s1","model":{"id":"claude-opus-5-5","display_name":"Opus 5.5"},"workspace":{"project_dir":"/p"}`
	full = `{` + opus + `,"cost":{"total_cost_usd":1.8371},"context_window":{"used_percentage":42.9}}`
)

func TestStatusLine(t *testing.T) {
	now := time.Now()
	tonight := now.Add(time.Hour)
	soon := now.Add(90 * time.Minute).Truncate(time.Second)
	ofMinutes := func(n int) string {
		return fmt.Sprintf(`{%s,"cost":{"total_cost_usd":1.8371,"total_duration_ms":%d}}`, opus, n*60_000)
	}
	for name, c := range map[string]struct {
		payload string
		glance  *hooks.Glance
		want    string
	}{
		"all that a session says": {full, nil, "opus-5.5 · $1.84 session · ctx 42%"},
		"nothing":                 {`{}`, nil, ""},
		"null for unknown":        {`{"model":{"display_name":null},"cost":null,"context_window":{"used_percentage":null},"rate_limits":null}`, nil, ""},
		"a cost that is none":     {`{"cost":{"total_cost_usd":"much"},"context_window":{"used_percentage":"half"},"model":"x"}`, nil, ""},
		"the day": {full, &hooks.Glance{Made: now, Today: "$22.15", DayEnds: tonight},
			"opus-5.5 · $1.84 session · $22.15 today · ctx 42%"},
		"another currency": {full, &hooks.Glance{Made: now, Today: "EUR 20.42", DayEnds: tonight, In: hooks.Currency{Code: "EUR", PerDollar: 0.9217, Digits: 2}},
			"opus-5.5 · EUR 1.69 session · EUR 20.42 today · ctx 42%"},
		"a currency without a smaller unit": {full, &hooks.Glance{In: hooks.Currency{Code: "JPY", PerDollar: 151.5}},
			"opus-5.5 · JPY 278 session · ctx 42%"},
		"an older sum is a lower bound": {full, &hooks.Glance{Made: now.Add(-3 * time.Minute), Today: "~$22.15", DayEnds: tonight},
			"opus-5.5 · $1.84 session · ~$22.15 today · ctx 42%"},
		"a lower bound stays one": {full, &hooks.Glance{Made: now.Add(-3 * time.Minute), Today: "~$22.15", DayEnds: tonight},
			"opus-5.5 · $1.84 session · ~$22.15 today · ctx 42%"},
		"a plan's amounts are no bill": {full, &hooks.Glance{Made: now, Today: "$22.15", DayEnds: tonight, Plans: []string{"codex", "claude"}},
			"opus-5.5 · $1.84 session at list prices · $22.15 today · ctx 42%"},
		"another agent's plan": {full, &hooks.Glance{Made: now, Today: "$22.15", DayEnds: tonight, Plans: []string{"codex"}},
			"opus-5.5 · $1.84 session · $22.15 today at list prices · ctx 42%"},
		"a plan without a session's amount": {`{` + opus + `}`, &hooks.Glance{Made: now, Today: "$22.15", DayEnds: tonight, Plans: []string{"claude"}},
			"opus-5.5 · $22.15 today at list prices"},
		"a session that began after the sum was made counts besides": {ofMinutes(1), &hooks.Glance{Made: now.Add(-90 * time.Second), Today: "$22.15",
			Dollars: 22.15, DayEnds: tonight}, "opus-5.5 · $1.84 session · $23.99 today"},
		"today is not less than a session of today": {ofMinutes(1), &hooks.Glance{Made: now, Today: "$0.40", Dollars: 0.40, DayEnds: now.Add(time.Hour)},
			"opus-5.5 · $1.84 session · $1.84 today"},
		"a session may be older than the day": {ofMinutes(26 * 60), &hooks.Glance{Made: now, Today: "$0.40", Dollars: 0.40, DayEnds: now.Add(time.Hour)},
			"opus-5.5 · $1.84 session · $0.40 today"},
		"yesterday is not today": {full, &hooks.Glance{Made: now.Add(-3 * time.Hour), Today: "$22.15", DayEnds: now.Add(-time.Minute)},
			"opus-5.5 · $1.84 session · ctx 42%"},
		"from the future": {full, &hooks.Glance{Made: now.Add(time.Hour), Today: "$22.15", DayEnds: tonight, Watched: now.Add(time.Hour),
			Waits: []hooks.Wait{{Project: "shop", Session: "s2"}}},
			"opus-5.5 · $1.84 session · ctx 42%"},
		"one waits": {full, &hooks.Glance{Watched: now, Waits: []hooks.Wait{{Project: "shop", Session: "s2"}}},
			"opus-5.5 · $1.84 session · ctx 42% · 1 waits: shop"},
		"three wait": {full, &hooks.Glance{Watched: now, Waits: []hooks.Wait{{Project: "shop", Session: "s2"}, {Project: "docs", Session: "s3"},
			{Project: "pay", Session: "s4"}}},
			"opus-5.5 · $1.84 session · ctx 42% · 3 wait: shop, docs"},
		"two of one project": {full, &hooks.Glance{Watched: now, Waits: []hooks.Wait{{Project: "shop", Session: "s2"}, {Project: "shop", Session: "s3"}}},
			"opus-5.5 · $1.84 session · ctx 42% · 2 wait: shop"},
		"its own question is on the screen": {full, &hooks.Glance{Watched: now, Waits: []hooks.Wait{{Project: "shop", Session: "s1"}}},
			"opus-5.5 · $1.84 session · ctx 42%"},
		"nobody watches any more": {full, &hooks.Glance{Watched: now.Add(-61 * time.Second), Waits: []hooks.Wait{{Project: "shop", Session: "s2"}}},
			"opus-5.5 · $1.84 session · ctx 42%"},
		"what moves the screen": {`{"model":{"display_name":"O\u001b[31m\npus\u202e"}}`,
			&hooks.Glance{Watched: now, Waits: []hooks.Wait{{Project: "sh\x1b[2Jop\u202e\n", Session: "s2"}}},
			"o\ufffd[31m-pus\ufffd · 1 waits: sh\ufffd[2Jop\ufffd"},
		"windows": {fmt.Sprintf(`{"rate_limits":{"five_hour":{"used_percentage":38.9,"resets_at":%d},"seven_day":{"used_percentage":74.9,"resets_at":%d}}}`,
			soon.Unix(), soon.Unix()), nil,
			"5h 38% →" + soon.Format("15:04")},
		"the week when it is near": {fmt.Sprintf(`{"rate_limits":{"seven_day":{"used_percentage":75,"resets_at":%d}}}`, soon.Unix()), nil,
			"week 75% →" + soon.Format("Mon 15:04")},
		"a window that is over": {fmt.Sprintf(`{"rate_limits":{"five_hour":{"used_percentage":38,"resets_at":%d}}}`, now.Unix()-1), nil, ""},
		"no reset":              {`{"rate_limits":{"five_hour":{"used_percentage":0}}}`, nil, "5h 0%"},
	} {
		env := stateIn(t.TempDir())
		if c.glance != nil {
			if err := hooks.UpdateGlance(env, func(g *hooks.Glance) { *g = *c.glance }); err != nil {
				t.Fatal(err)
			}
		}
		if got := statusLine(t, c.payload, env, nil); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// No payload and no file makes the line fail, print an error, or write anything but limits.
func TestStatusLineNeverComplains(t *testing.T) {
	for _, payload := range []string{"", " ", "{", "[]", `"x"`, "null", "\x00\x01", `{"model":[[[[]]]],"cost":[],"workspace":7,"rate_limits":[1]}`,
		strings.Repeat("x", 17<<20)} {
		if got := statusLine(t, payload, stateIn(t.TempDir()), nil); got != "" {
			t.Errorf("%.20q prints %q", payload, got)
		}
	}
	for _, glance := range []string{"", "{", `{"made":"x","today":7,"waits":{"a":1},"more":-3}`, "null", strings.Repeat(" ", 5<<10) + "{}"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "state", "aburn"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "state", "aburn", "status-line.json"), []byte(glance), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := statusLine(t, `{"model":{"display_name":"Opus"}}`, stateIn(dir), nil); got != "opus" {
			t.Errorf("beside the file %.20q it prints %q", glance, got)
		}
	}
	if got := statusLine(t, full, func(string) string { return "" }, nil); got == "" {
		t.Error("without a home it says nothing")
	}
}

// The limits are kept, with the time at which they were last seen.
func TestStatusLineKeepsLimits(t *testing.T) {
	env := stateIn(t.TempDir())
	if l := hooks.ReadLimits(&agentcli.Claude, env); len(l.Windows) > 0 {
		t.Errorf("%+v before anybody wrote", l)
	}
	resets := time.Now().Add(time.Hour).Truncate(time.Second)
	for _, used := range []float64{38.5, 40} {
		statusLine(t, fmt.Sprintf(`{"rate_limits":{"five_hour":{"used_percentage":%v,"resets_at":%d}}}`, used, resets.Unix()), env, nil)
		statusLine(t, `{"rate_limits":{}}`, env, nil) // a session that was not told yet
		l := hooks.ReadLimits(&agentcli.Claude, env)
		if len(l.Windows) != 1 || l.Windows[0].Used != used || l.Windows[0].Length != 5*time.Hour || !l.Windows[0].Resets.Equal(resets) ||
			time.Since(l.At) > time.Minute {
			t.Errorf("%+v, want %v %%", l, used)
		}
	}
}

// A sum that is old makes the line ask for a new one, once in a while, and only in a project of the user's.
func TestStatusLineAsksForToday(t *testing.T) {
	asked := 0
	ended := func(string) { asked++ }
	dir := place(t)
	payload := `{"workspace":{"project_dir":"` + dir + `"}}`
	env := os.Getenv
	statusLine(t, payload, env, ended)
	if asked != 0 {
		t.Error("asked in somebody else's project")
	}
	if err := project.Mark(dir); err != nil {
		t.Fatal(err)
	}
	statusLine(t, payload, env, ended)
	statusLine(t, payload, env, ended)
	if asked != 1 {
		t.Errorf("asked %d times, want 1", asked)
	}
	if err := hooks.UpdateGlance(env, func(g *hooks.Glance) { g.Made = time.Now() }); err != nil {
		t.Fatal(err)
	}
	statusLine(t, payload, env, ended)
	if asked != 1 {
		t.Error("asked although the sum is new")
	}
}

// Writers of the two parts at once lose nothing, and the file stays small.
func TestGlanceWriters(t *testing.T) {
	env := stateIn(t.TempDir())
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				if err := hooks.UpdateGlance(env, func(g *hooks.Glance) {
					if i%2 == 0 {
						g.Today, g.DayEnds = "$1.00", time.UnixMilli(1e12)
						return
					}
					g.Watched, g.Waits, g.More = time.UnixMilli(2e12), nil, 0
					for n := range 40 {
						g.Waits = append(g.Waits, hooks.Wait{Project: strings.Repeat(`"\`, 60),
							Session: logfmt.SessionID(fmt.Sprint(n) + strings.Repeat("x", logfmt.MaxSession-2))})
					}
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	g := hooks.ReadGlance(env)
	if g.Today != "$1.00" || !g.Watched.Equal(time.UnixMilli(2e12)) || len(g.Waits)+g.More != 40 {
		t.Errorf("%+v", g)
	}
	if st, err := os.Stat(filepath.Join(env("XDG_STATE_HOME"), "aburn", "status-line.json")); err != nil || st.Size() > 4<<10 || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
}
