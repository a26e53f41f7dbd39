package hooks

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Glance is what a status line says of the user's other work. Commands write it, a status line only reads it. It lies in
// the user's state folder as glanceName, is smaller than maxGlance, and has two parts with different writers, so a writer
// changes its own part under a lock (UpdateGlance).
type Glance struct {
	// Made is when the archive was up to date and Today was summed up.
	Made time.Time
	// Today is what answers of the day that ends at DayEnds cost, as a person reads it: "$22.15", "~$22.15". It is
	// empty if that is not known.
	Today   string
	Dollars float64 // the same in dollars
	DayEnds time.Time
	// In is what the user reads amounts in, as Today is.
	In Currency
	// Plans are the agents that the user has a subscription to: what their answers cost is no bill.
	Plans []string
	// Watched is when a program that follows all projects wrote Waits, longest wait first.
	Watched time.Time
	Waits   []Wait
	More    int // further waits, which are not among Waits
}

// Currency is one that a user reads amounts in; the zero value is the dollar.
type Currency struct {
	Code      string // of ISO 4217
	PerDollar float64
	Digits    int // behind the point
}

// amount is dollars as a person reads them.
func (in Currency) amount(dollars float64) string {
	if in.Code == "" {
		return "$" + strconv.FormatFloat(dollars, 'f', 2, 64)
	}
	return plain.OneLine(in.Code, maxCode) + " " + strconv.FormatFloat(dollars*in.PerDollar, 'f', min(max(in.Digits, 0), 2), 64)
}

// Wait is a session that waits for its user.
type Wait struct {
	Project string // its name, as a person reads it
	Session logfmt.SessionID
}

const (
	glanceName = "status-line.json"
	glanceLock = "status-line.lock"
	maxGlance  = 4 << 10
	maxWaits   = 12 // are kept by name
	maxName    = 40 // of a project, in bytes
	maxCode    = 3  // of a currency
)

// WatchedFor is how long Waits are believed after Watched: their writer may have ended meanwhile.
const WatchedFor = 60 * time.Second

// ReadGlance reads the user's glance. What is missing or broken is as if nobody had written it.
func ReadGlance(env func(string) string) (g Glance) {
	state := project.StateDir(env)
	if state == "" {
		return g
	}
	var buf [maxGlance + 1]byte
	data := readSmall(filepath.Join(state, glanceName), buf[:])
	if !gjson.Valid(data) {
		return g
	}
	gjson.Parse(data).ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "made":
			g.Made = instant(v)
		case "today":
			g.Today = v.Str
		case "dollars":
			g.Dollars = max(v.Num, 0)
		case "day_ends":
			g.DayEnds = instant(v)
		case "currency":
			g.In = Currency{v.Get("code").Str, v.Get("per_dollar").Num, int(v.Get("digits").Int())}
		case "plans":
			v.ForEach(func(_, agent gjson.Result) bool {
				g.Plans = append(g.Plans, agent.Str)
				return true
			})
		case "watched":
			g.Watched = instant(v)
		case "more":
			g.More = int(max(v.Int(), 0))
		case "waits":
			v.ForEach(func(_, w gjson.Result) bool {
				g.Waits = append(g.Waits, Wait{w.Get("project").Str, logfmt.SessionID(w.Get("session").Str)})
				return true
			})
		}
		return true
	})
	return g
}

// UpdateGlance lets change change the user's glance. Two processes at once change it one after the other.
func UpdateGlance(env func(string) string, change func(*Glance)) error {
	root, err := openState(env)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, glanceLock, time.Second)
	if err != nil {
		return err
	}
	defer lock.Release()
	g := ReadGlance(env)
	change(&g)
	return atomicfile.WriteRoot(root, glanceName, g.encode(), 0o600, atomicfile.Options{})
}

// readSmall returns the text of a file, "" if it does not fit into buf. It goes around package os, whose files set up the
// runtime's poller: that is a tenth of a status line's run.
func readSmall(path string, buf []byte) string {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer syscall.Close(fd)
	n := 0
	for n < len(buf) {
		m, err := syscall.Read(fd, buf[n:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return ""
		}
		if m <= 0 {
			return string(buf[:n])
		}
		n += m
	}
	return ""
}

func openState(env func(string) string) (*os.Root, error) {
	state := project.StateDir(env)
	if state == "" {
		return nil, os.ErrNotExist
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(state)
}

// encode is the file. Its size is bounded: a session's id and a project's name are.
func (g *Glance) encode() []byte {
	waits := []byte{'['}
	named := g.Waits[:min(len(g.Waits), maxWaits)]
	for i, w := range named {
		if i > 0 {
			waits = append(waits, ',')
		}
		var o logfmt.Object
		o.Str("project", plain.OneLine(w.Project, maxName)).Str("session", string(w.Session))
		waits = append(waits, o.Bytes()...)
	}
	plans := []byte{'['}
	for i, agent := range g.Plans {
		if i > 0 {
			plans = append(plans, ',')
		}
		plans = strconv.AppendQuote(plans, agent) // a name of agentcli
	}
	var o logfmt.Object
	o.Int("v", 1).Int("made", millis(g.Made)).StrIf("today", plain.OneLine(g.Today, maxName)).Float("dollars", g.Dollars).
		Int("day_ends", millis(g.DayEnds)).Raw("plans", append(plans, ']'))
	if g.In.Code != "" {
		var in logfmt.Object
		in.Str("code", plain.OneLine(g.In.Code, maxCode)).Float("per_dollar", g.In.PerDollar).Int("digits", int64(g.In.Digits))
		o.Raw("currency", in.Bytes())
	}
	o.Int("watched", millis(g.Watched)).Raw("waits", append(waits, ']')).Int("more", int64(g.More+len(g.Waits)-len(named)))
	return append(o.Bytes(), '\n')
}

// instant reads a time, in milliseconds since 1970; 0 is no time.
func instant(v gjson.Result) time.Time {
	if v.Int() <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(v.Int())
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Window is a limit of the user's plan as the agent states it: how much of a window of time is used up.
type Window struct {
	Length time.Duration
	Used   float64 // percent
	Resets time.Time
}

// Limits are an agent's windows at a time. A status line keeps them: no other file of that agent has them.
type Limits struct {
	At      time.Time
	Windows []Window
}

// limitsFor is how long kept limits count as up to date. They are written again after it even if they are the same, so
// that their age is known.
const limitsFor = 60 * time.Second

func limitsName(a *agentcli.Agent) string { return "limits-" + a.Name + ".json" }

// ReadLimits reads the limits that a status line kept of an agent; none if there are none.
func ReadLimits(a *agentcli.Agent, env func(string) string) (l Limits) {
	state := project.StateDir(env)
	if state == "" {
		return l
	}
	var buf [maxGlance + 1]byte
	data := readSmall(filepath.Join(state, limitsName(a)), buf[:])
	if !gjson.Valid(data) {
		return l
	}
	all := gjson.Parse(data)
	l.At = instant(all.Get("at"))
	all.Get("windows").ForEach(func(_, w gjson.Result) bool {
		l.Windows = append(l.Windows, Window{time.Duration(w.Get("minutes").Int()) * time.Minute, w.Get("used").Num, instant(w.Get("resets"))})
		return true
	})
	return l
}

// keepLimits writes the limits unless the same ones were written a moment ago. Two sessions at once may both write; both
// wrote what was true.
func keepLimits(a *agentcli.Agent, windows []Window, now time.Time, env func(string) string) error {
	next := Limits{now, windows}
	if old := ReadLimits(a, env); old.same(windows) && now.Sub(old.At) < limitsFor && !old.At.After(now) {
		return nil
	}
	root, err := openState(env)
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.WriteRoot(root, limitsName(a), next.encode(), 0o600, atomicfile.Options{})
}

func (l *Limits) same(windows []Window) bool {
	if len(l.Windows) != len(windows) {
		return false
	}
	for i, w := range windows {
		if o := l.Windows[i]; o.Length != w.Length || o.Used != w.Used || !o.Resets.Equal(w.Resets) {
			return false
		}
	}
	return true
}

func (l *Limits) encode() []byte {
	windows := []byte{'['}
	for i, w := range l.Windows {
		if i > 0 {
			windows = append(windows, ',')
		}
		var o logfmt.Object
		o.Int("minutes", int64(w.Length/time.Minute)).Float("used", w.Used).Int("resets", millis(w.Resets))
		windows = append(windows, o.Bytes()...)
	}
	var o logfmt.Object
	o.Int("v", 1).Int("at", millis(l.At)).Raw("windows", append(windows, ']'))
	return append(o.Bytes(), '\n')
}
