package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/archive"
	"aburn/install"
	"aburn/trace"
)

// keeper is an agent that deletes its sessions after a while.
type keeper struct {
	source, name string
	// keeps is for how long, and the setting that says so; 0 if it keeps them for ever.
	keeps func(env func(string) string) (time.Duration, string)
}

const day = 24 * time.Hour

// The agents' own defaults.
const (
	claudeKeeps = 30 * day
	geminiKeeps = 30 * day
)

// soon is how long before a session is deleted one has to know.
const soon = 7 * day

func keepers() [2]keeper {
	return [...]keeper{
		{"claude", "Claude Code", keptByClaude},
		{"gemini", "Gemini CLI", keptByGemini},
	}
}

// keptByClaude reads cleanupPeriodDays of the user's own settings.
func keptByClaude(env func(string) string) (time.Duration, string) {
	if dir, err := install.Claude.ConfigDir(env); err == nil {
		if days := setting(filepath.Join(dir, "settings.json"), "cleanupPeriodDays"); days.Type == gjson.Number && days.Num > 0 {
			return time.Duration(days.Num * float64(day)), "cleanupPeriodDays"
		}
	}
	return claudeKeeps, "cleanupPeriodDays"
}

// keptByGemini reads general.sessionRetention of the user's own settings.
func keptByGemini(env func(string) string) (time.Duration, string) {
	const name = "general.sessionRetention"
	home := env("GEMINI_CLI_HOME")
	if home == "" {
		home = env("HOME")
	}
	retention := setting(filepath.Join(home, ".gemini", "settings.json"), name)
	if enabled := retention.Get("enabled"); enabled.Exists() && !enabled.Bool() {
		return 0, name
	}
	age := retention.Get("maxAge").Str
	if n := len(age); n > 1 {
		unit := map[byte]time.Duration{'h': time.Hour, 'd': day, 'w': 7 * day, 'm': 30 * day}[age[n-1]]
		if count, err := strconv.Atoi(age[:n-1]); err == nil && unit > 0 {
			return time.Duration(count) * unit, name
		}
	}
	return geminiKeeps, name
}

// setting is a value of an agent's settings file.
func setting(path, name string) gjson.Result {
	data, err := install.ReadSettings(path)
	if err != nil {
		return gjson.Result{}
	}
	return gjson.GetBytes(data, name)
}

// keeping warns of sessions that their agent is about to delete and that are not archived.
func (e *exam) keeping() {
	if len(e.Readers) == 0 {
		return
	}
	archived, err := e.archived()
	if err != nil {
		e.addHint("archive", Bad, err)
		return
	}
	known, lost := 0, 0
	for _, k := range keepers() {
		for _, r := range e.Readers {
			if r.Name() == k.source {
				all, missing := e.expiring(k, r, archived)
				known, lost = known+all, lost+missing
			}
		}
	}
	if known > 0 && lost == 0 {
		e.addf("archive", OK, "no session that is about to be deleted is missing in it")
	}
}

// addHint adds an error with what can be done about it, if it knows.
func (e *exam) addHint(topic string, status Status, err error) {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		e.add(topic, status, err.Error(), hinted.Hint())
		return
	}
	e.add(topic, status, err.Error())
}

// archived is what the archive has read of each store; nil if there is no archive.
func (e *exam) archived() (map[string]archive.Known, error) {
	a, err := archive.View(e.ctx, archive.Dir(e.Env))
	if none := (*archive.NotFound)(nil); errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer a.Close()
	cursors, err := a.Cursors()
	if err != nil {
		return nil, err
	}
	all := map[string]archive.Known{}
	for _, c := range cursors {
		all[c.Reader+"\x00"+c.Path] = c
	}
	return all, nil
}

// expiring warns of the sessions of one agent, and returns how many files of sessions it has and how many of them it is about
// to delete that are missing in the archive.
func (e *exam) expiring(k keeper, r trace.Reader, archived map[string]archive.Known) (all, missing int) {
	keeps, by := k.keeps(e.Env)
	if keeps == 0 {
		return 0, 0
	}
	var first time.Time
	err := r.Find(e.ctx, trace.Places{Home: e.Env("HOME"), Getenv: e.Env}, func(s trace.Store) error {
		all++
		c, ok := archived[k.source+"\x00"+s.Path]
		if left := keeps - e.Now.Sub(s.ModTime); left > soon || ok && c.Size == s.Size && c.Modified.Equal(s.ModTime) && c.Problem == "" {
			return nil
		}
		missing++
		if first.IsZero() || s.ModTime.Before(first) {
			first = s.ModTime
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.addf("archive", Note, "%s: %v", k.name, err)
	}
	if missing == 0 {
		return all, 0
	}
	when := "the next time it starts"
	if left := keeps - e.Now.Sub(first); left > 0 {
		when = "from " + first.Add(keeps).Format("2006-01-02") + " on"
	}
	e.add("archive", Note, fmt.Sprintf("%s deletes %s of sessions %s (%s: %s), and they are not archived", k.name, files(missing), when, by, days(keeps)), "aburn ingest")
	return all, missing
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return strconv.Itoa(n) + " files"
}

func days(d time.Duration) string {
	return strings.TrimSuffix(strconv.FormatFloat(d.Hours()/24, 'f', 1, 64), ".0") + " days"
}
