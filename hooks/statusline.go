package hooks

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// StatusArg is the argument behind the agent's name with which settings call the hook as a status line. WrapArg comes
// last, before the command line of the status line that was there before.
const (
	StatusArg = "statusline"
	WrapArg   = "--wrap"
)

// Status is what an agent tells its status line. What it does not tell is zero.
type Status struct {
	Session logfmt.SessionID
	Dir     string        // of the project
	Model   string        // as the agent shows it
	Cost    float64       // of the session in dollars, as the agent states it
	Costs   bool          // it states a cost
	Lasted  time.Duration // since the session began, or was resumed
	Context string        // how much of the context is full: "42%"
	Windows []Window
}

// askEvery is how old today's sum may be before a status line asks for a new one, and how long it waits between asking.
const askEvery = 5 * time.Minute

// exactFor is how long today's sum counts as complete. After it, it is a lower bound.
const exactFor = 2 * time.Minute

// statusLine prints the line. It records nothing, and no failure is shown: the agent's screen is no place for it. The
// status line that was there before is called first and keeps its lines.
func (r *Run) statusLine(agent *Agent) {
	folders, wrapped := splitWrap(r.Args[2:])
	in := readInput(r.Stdin, wait{r.Start.Add(stdinDeadline), r.Start.Add(stdinDeadline), r.Start.Add(stdinDeadline)})
	var first *wrappedLine
	if wrapped != "" {
		first = startWrapped(wrapped, in.data)
	}
	line := ""
	s := Status{}
	if agent.Status != nil && r.Env("ABURN") != "0" && logfmt.Valid(in.data) {
		s = agent.Status(JSON(in.data).Parse())
		r.Env = project.FolderEnv(folders, r.Env)
		now := time.Now()
		g := ReadGlance(r.Env)
		line = s.line(agent.Name, &g, now)
		defer func() {
			if len(s.Windows) > 0 {
				_ = keepLimits(agent.Agent, s.Windows, now, r.Env)
			}
			if now.Sub(g.Made) > askEvery {
				r.askForToday(&s, now)
			}
		}()
	}
	before := first.output()
	if len(before) > 0 && before[len(before)-1] != '\n' {
		before = append(before, '\n')
	}
	if line != "" {
		line += "\n"
	}
	_, _ = r.Stdout.Write(append(before, line...))
}

// splitWrap separates the wrapped command line, "" for none, from the folders.
func splitWrap(args []string) (folders []string, wrapped string) {
	if n := len(args); n >= 2 && args[n-2] == WrapArg {
		return args[:n-2], args[n-1]
	}
	return args, ""
}

// atListPrices is behind amounts that a subscription pays for.
const atListPrices = " at list prices"

// line is the status line of an agent.
func (s *Status) line(agent string, g *Glance, now time.Time) string {
	parts := make([]string, 0, 8)
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(strings.ReplaceAll(strings.ToLower(plain.OneLine(s.Model, 32)), " ", "-"))
	value := ""
	if slices.Contains(g.Plans, agent) {
		value = atListPrices
	}
	if s.Costs {
		add(g.In.amount(s.Cost) + " session" + value)
	}
	if today := g.today(s, now); today != "" {
		if len(g.Plans) > 0 && (value == "" || !s.Costs) { // else the session's amount says so
			today += atListPrices
		}
		add(today)
	}
	if s.Context != "" {
		add("ctx " + s.Context)
	}
	for _, w := range s.Windows {
		add(w.line(now))
	}
	add(g.waiting(s.Session, now))
	return strings.Join(parts, " · ")
}

// today is what the day has cost so far, this session included. Other answers that came since the sum was made are not in it.
func (g *Glance) today(s *Status, now time.Time) string {
	if g.Today == "" || !now.Before(g.DayEnds) || now.Before(g.Made.Add(-time.Minute)) {
		return ""
	}
	text := plain.Line(g.Today)
	if began := now.Add(-s.Lasted); s.Costs && s.Lasted > 0 && !began.Before(g.DayEnds.AddDate(0, 0, -1)) {
		switch {
		case began.After(g.Made): // the sum has nothing of it
			text = g.In.amount(g.Dollars + s.Cost)
		case s.Cost > g.Dollars: // all of it is today's
			text = g.In.amount(s.Cost)
		}
	}
	if now.Sub(g.Made) > exactFor && !strings.HasPrefix(text, "~") {
		text = "~" + text
	}
	return text + " today"
}

// nearLimit is from which percentage a window longer than a day is shown.
const nearLimit = 75

func (w Window) line(now time.Time) string {
	if !w.Resets.IsZero() && !now.Before(w.Resets) {
		return "" // a window that is over says nothing of the one after it
	}
	text, layout := w.Name()+" "+strconv.Itoa(int(w.Used))+"%", "15:04"
	if w.Length >= 24*time.Hour {
		if w.Used < nearLimit {
			return ""
		}
		layout = "Mon 15:04"
	}
	if w.Resets.IsZero() {
		return text
	}
	return text + " →" + w.Resets.Local().Format(layout)
}

// Name is the window's length as people call it: "5h", "week".
func (w Window) Name() string {
	const day = 24 * time.Hour
	switch {
	case w.Length == 7*day:
		return "week"
	case w.Length >= day && w.Length%day == 0:
		return strconv.Itoa(int(w.Length/day)) + "d"
	case w.Length%time.Hour == 0:
		return strconv.Itoa(int(w.Length/time.Hour)) + "h"
	}
	return strconv.Itoa(int(w.Length/time.Minute)) + "min"
}

// maxWaiting is how many waiting projects are named.
const maxWaiting = 2

// waiting names who waits, other sessions than this one: a person who sees this line sees its own question.
func (g *Glance) waiting(own logfmt.SessionID, now time.Time) string {
	if age := now.Sub(g.Watched); age > WatchedFor || age < -time.Minute {
		return ""
	}
	var names []string
	n := g.More
	for _, w := range g.Waits {
		if w.Session == own && own != "" {
			continue
		}
		n++
		if name := plain.OneLine(w.Project, maxName); len(names) < maxWaiting && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "1 waits: " + strings.Join(names, ", ")
	}
	return strconv.Itoa(n) + " wait: " + strings.Join(names, ", ")
}

// askForToday has the archive brought up to date, so that today's sum is. It waits for nothing. The file's own time says
// when a status line last asked, whatever came of it: two that ask at once start two ingests, of which one ends at once.
func (r *Run) askForToday(s *Status, now time.Time) {
	state := project.StateDir(r.Env)
	if r.Ended == nil || state == "" {
		return
	}
	proj, err := project.FindFrom(s.Dir, r.Env)
	if err != nil || !proj.Marked || !settings.Load(proj, r.Env).Archive.AtSessionEnd {
		return
	}
	path := filepath.Join(state, glanceName)
	if st, err := os.Stat(path); err == nil && now.Sub(st.ModTime()) < askEvery {
		return
	}
	if err := os.Chtimes(path, now, now); err != nil && UpdateGlance(r.Env, func(*Glance) {}) != nil {
		return // nothing would tell that this one asked
	}
	r.Ended(r.Env, proj.Root, proj.Worktree)
}
