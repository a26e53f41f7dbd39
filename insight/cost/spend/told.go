package spend

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"aburn/insight/cost"
	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/internal/notify"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/workspace"
)

// What a person was told of budgets is in a file of the user's state folder. A process holds the lock while it tells, so
// that two ingests at once tell once. It notes a notice before it makes it, and takes the note back if no channel could
// show it: a kill in between loses a notice, and never repeats one.
const (
	toldName = "budgets.json"
	toldLock = "budgets.lock"
)

// shares are the percentages at which a person is told.
var shares = [...]int64{100, 80}

// toldWait bounds how long an ingest waits for its notices.
const toldWait = 12 * time.Second

// told is the file: the notices of each period that is not over.
type told struct {
	V    int                 `json:"v"`
	Told map[string][]string `json:"told"` // by the period's name: "day 20.00 80", "month 80.00 shop 100"
}

// key names a notice within its period. A budget that is changed is another one.
func (b *Budget) key(share int64) string {
	text := string(b.By) + " " + b.Limit()
	if b.Project != "" {
		text += " " + b.Project
	}
	return fmt.Sprintf("%s %d", text, share)
}

// tell tells the person of budgets that have reached a share for the first time.
func tell(c *workspace.Caller, now *Current, limits []limit, set *settings.Notify) error {
	list := now.used(limits)
	reached := false
	for i := range list {
		reached = reached || list[i].Percent() >= shares[len(shares)-1]
	}
	if !reached {
		return nil
	}
	state := project.StateDir(c.Env)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, toldLock, 0)
	if errors.Is(err, lockfile.ErrBusy) {
		return nil // another process is telling
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	file := readTold(root)
	file.keep(c.Now)
	for i := range list {
		if err := file.tellOne(c, root, &list[i], set); err != nil {
			return err
		}
	}
	return nil
}

// readTold reads the file. A broken one counts as none: what was told may be told again.
func readTold(root *os.Root) (t told) {
	data, err := root.ReadFile(toldName)
	if err != nil || json.Unmarshal(data, &t) != nil || t.V != 1 {
		t = told{V: 1}
	}
	if t.Told == nil {
		t.Told = map[string][]string{}
	}
	return t
}

// keep forgets the periods that are over in every time zone.
func (t *told) keep(now time.Time) {
	open := map[string]bool{}
	for _, days := range []int{-2, -1, 0, 1, 2} {
		for _, by := range []cost.By{cost.ByDay, cost.ByWeek, cost.ByMonth} {
			open[cost.Period(by, now.AddDate(0, 0, days)).Name] = true
		}
	}
	for name := range t.Told {
		if !open[name] {
			delete(t.Told, name)
		}
	}
}

func (t *told) has(name, key string) bool { return slices.Contains(t.Told[name], key) }

func (t *told) write(root *os.Root) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return atomicfile.WriteRoot(root, toldName, append(data, '\n'), 0o600, atomicfile.Options{})
}

// tellOne tells of the highest share that the budget has reached, unless it was told. The lower ones need no notice then.
func (t *told) tellOne(c *workspace.Caller, root *os.Root, b *Budget, set *settings.Notify) error {
	before := t.Told[b.Name]
	news := int64(0)
	for _, share := range shares {
		if b.Percent() >= share && !t.has(b.Name, b.key(share)) {
			news = max(news, share)
			t.Told[b.Name] = append(slices.Clip(t.Told[b.Name]), b.key(share))
		}
	}
	if news == 0 || news < shares[0] && t.has(b.Name, b.key(shares[0])) {
		return nil
	}
	if err := t.write(root); err != nil {
		return err // told again and again is worse than not at all
	}
	if notice(c, b, news, set) {
		return nil
	}
	t.Told[b.Name] = before
	return t.write(root)
}

// Line is what notify.command gets of a budget, as JSON on one line.
type Line struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"` // "budget"
	Period  string    `json:"period"`
	Name    string    `json:"name"`
	Project string    `json:"project,omitempty"`
	Share   int64     `json:"share"` // 80 or 100
	Percent int64     `json:"percent"`
	Budget  string    `json:"budget_usd"`
	USD     string    `json:"usd"`
	AtLeast bool      `json:"at_least"`
	Says    string    `json:"says"`
}

// notice shows a notice on the channels that the settings name, and reports whether one of them could.
func notice(c *workspace.Caller, b *Budget, share int64, set *settings.Notify) bool {
	o := notify.Options{Desktop: set.Desktop, Command: set.Command, Env: c.Env}
	if set.Line != "" {
		o.Command = notify.Shell(set.Line)
	}
	channels, failed := int64(0), atomic.Int64{}
	for _, on := range []bool{o.Desktop, len(o.Command) > 0} {
		if on {
			channels++
		}
	}
	if channels == 0 {
		return false
	}
	o.Report = func(string, error) { failed.Add(1) }
	line, err := json.Marshal(Line{c.Now.UTC().Truncate(time.Millisecond), "budget", string(b.By), b.Name, b.Project, share, b.Percent(), b.Limit()[1:],
		b.Amount.Decimal(), b.Lower(), b.Says()})
	if err != nil {
		return false
	}
	title := "aburn: 80 % of a budget"
	if share == shares[0] {
		title = "aburn: a budget is used up"
	}
	n := notify.New(o)
	n.Tell(notify.Notice{Key: b.Name + " " + b.key(share), Title: title, Text: b.Says() + ", at list prices", Urgent: share == shares[0],
		JSON: append(line, '\n')})
	n.Close(toldWait)
	return failed.Load() < channels
}
