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
	"aburn/archive/kept"
	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/trace"
)

const day = 24 * time.Hour

// soon is how long before the deletion of a session the doctor warns.
const soon = 7 * day

// keeps is how long the agent keeps sessions, by its default or the user's settings; 0 is for ever.
func keeps(a *agentcli.Agent, env func(string) string) time.Duration {
	k := a.Store.Keeps
	var says gjson.Result
	if dir, err := install.ConfigDir(a, env); err == nil {
		says = setting(filepath.Join(dir, k.File), k.Setting)
	}
	if says.Type == gjson.Number && says.Num > 0 {
		return time.Duration(says.Num * float64(day))
	}
	if enabled := says.Get("enabled"); enabled.Exists() && !enabled.Bool() {
		return 0
	}
	if age := says.Get("maxAge").Str; len(age) > 1 {
		unit := map[byte]time.Duration{'h': time.Hour, 'd': day, 'w': 7 * day, 'm': 30 * day}[age[len(age)-1]]
		if count, err := strconv.Atoi(age[:len(age)-1]); err == nil && unit > 0 {
			return time.Duration(count) * unit
		}
	}
	return time.Duration(k.Days) * day
}

func setting(path, name string) gjson.Result {
	data, err := install.ReadSettings(path)
	if err != nil {
		return gjson.Result{}
	}
	return gjson.GetBytes(data, name)
}

// keeping warns of unarchived sessions that their agent will soon delete.
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
	for _, r := range e.Readers {
		if a := agentcli.Of(r.Name()); a.Store.Keeps.Days > 0 {
			all, missing := e.expiring(a, r, archived)
			known, lost = known+all, lost+missing
		}
	}
	if known > 0 && lost == 0 {
		e.addf("archive", OK, "it has every session that an agent is about to delete")
	}
}

// copies says what lies in the folder of kept sessions, whose files hold texts, and maybe secrets.
func (e *exam) copies() {
	list, err := kept.List(archive.Dir(e.Env))
	if err != nil {
		e.add("archive", Bad, "the saved copies of sessions can't be listed: "+err.Error())
		return
	}
	if len(list) == 0 {
		return
	}
	size := int64(0)
	for i := range list {
		_, stored := list[i].Size()
		size += stored
	}
	e.add("archive", Note, fmt.Sprintf("%s saved with their texts, including any secrets, in %s, %s on disk",
		plain.Plural(int64(len(list)), "session is", "sessions are"), filepath.Join(archive.Dir(e.Env), kept.Folder), plain.Size(size)),
		"aburn keep --list")
}

// addHint adds an error with its hint, if it has one.
func (e *exam) addHint(topic string, status Status, err error) {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		e.add(topic, status, err.Error(), hinted.Hint())
		return
	}
	e.add(topic, status, err.Error())
}

// archived returns what the archive has read of each store; nil without an archive.
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

// expiring warns of one agent's sessions. It returns the number of its session files, and of those that it will soon
// delete and that are not archived.
func (e *exam) expiring(a *agentcli.Agent, r trace.Reader, archived map[string]archive.Known) (all, missing int) {
	keeps := keeps(a, e.Env)
	if keeps == 0 {
		return 0, 0
	}
	var first time.Time
	err := r.Find(e.ctx, trace.Places{Home: e.Env("HOME"), Getenv: e.Env}, func(s trace.Store) error {
		all++
		c, ok := archived[a.Name+"\x00"+s.Path]
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
		e.addf("archive", Note, "%s: %v", a.Title, err)
	}
	if missing == 0 {
		return all, 0
	}
	when := "the next time it starts"
	if left := keeps - e.Now.Sub(first); left > 0 {
		when = "from " + first.Add(keeps).Format("2006-01-02") + " on"
	}
	e.add("archive", Note, fmt.Sprintf("%s deletes %s of sessions %s (%s: %s), and they are not archived", a.Title, files(missing), when, a.Store.Keeps.Setting,
		days(keeps)), "aburn ingest")
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
