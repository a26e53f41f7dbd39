package lookup

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/trace"
	"aburn/trace/readers"
)

// How long a command looks for new sessions and reads them before it answers, how much of that it looks at most, and how
// long it waits for another ingest. A hook's ingest at a session's end lets the agent finish writing for two seconds.
const (
	ReadingTime  = 3 * time.Second
	LookingTime  = ReadingTime / 2
	LockPatience = 3 * time.Second
)

// Refresh reads what is new in the sessions of a folder. Nobody waits for it and nothing is said: whoever asks later has it.
func Refresh(ctx context.Context, c *workspace.Caller, folder string) error {
	dir := archive.Dir(c.Env)
	if dir == "" {
		return NoHome()
	}
	changes, err := ingest.Look(ctx, ingest.LookOptions{
		Dir: dir, Readers: readers.Readers(), Places: trace.Places{Home: c.Env("HOME"), Getenv: c.Env}, Project: folder, Until: time.Now().Add(LookingTime),
	})
	if err != nil {
		return err
	}
	defer changes.Remember(ctx)
	if len(changes.Stores) > 0 {
		_, err = ReadChanges(ctx, c, dir, changes.Stores, LookingTime, LockPatience)
	}
	return err
}

// ProjectAsked is the folder that --project means, or "" if that is none or unknown: then all projects are asked for.
func ProjectAsked(ctx context.Context, c *workspace.Caller, name string) string {
	if name == "" {
		return ""
	}
	if path, ok, err := folderNamed(c, name); err != nil || ok {
		return path
	}
	arch, err := archive.View(ctx, archive.Dir(c.Env))
	if err != nil {
		return ""
	}
	defer arch.Close()
	keys, _ := arch.Projects()
	found := ""
	for _, key := range keys {
		if filepath.Base(key) != name || key == found {
			continue
		}
		if found != "" { // the command says that the name is ambiguous
			return ""
		}
		found = key
	}
	return found
}

// ReadChanges reads stores into the archive, under its lock. The report is nil if nothing was begun.
func ReadChanges(ctx context.Context, c *workspace.Caller, dir string, stores []trace.Store, within, lock time.Duration) (first *ingest.Report, err error) {
	meter := &Meter{Meter: term.Meter{Out: c.Progress}}
	defer meter.Clear()
	o := ingest.Options{Readers: readers.Readers(), Places: trace.Places{Home: c.Env("HOME"), Getenv: c.Env}, Stores: stores, Within: within, Progress: meter.Show,
		Keep: KeepFrom(c)}
	waiting, giveUp := context.WithCancel(ctx)
	defer giveUp()
	patience := time.AfterFunc(lock, giveUp)
	defer patience.Stop()
	busy := func() { meter.Say("waiting for another ingest") }
	err = ingest.Exclusively(waiting, dir, busy, func() error {
		patience.Stop()
		db, err := archive.Open(ctx, dir)
		if err != nil {
			return err
		}
		defer db.Close()
		o.Archive = db
		report, err := ingest.Run(ctx, o)
		if first == nil {
			first = report
		}
		o.Stores = nil // another process asked for an ingest meanwhile, and relies on this one to look at everything
		return err
	})
	if first == nil && waiting.Err() != nil && ctx.Err() == nil {
		err = ingest.ErrBusy
	}
	return first, err
}

// KeepFrom is from when on sessions are kept, by the user's own settings; zero for ever.
func KeepFrom(c *workspace.Caller) time.Time {
	dir, err := c.Folder()
	if err != nil {
		return time.Time{}
	}
	p, _ := project.Find(dir, c.Env)
	if days := settings.Load(p, c.Env).Archive.Retention; days > 0 {
		return c.Now.AddDate(0, 0, -days)
	}
	return time.Time{}
}

// Meter shows the progress of an ingest on a terminal.
type Meter struct{ term.Meter }

// Show is ingest.Options.Progress. It shows nothing of a short run.
func (m *Meter) Show(p ingest.Progress) {
	if p.Took >= 300*time.Millisecond {
		m.Say(progressText(p))
	}
}

// Renewing shows how far renewing the archive is.
func (m *Meter) Renewing(done, total int) {
	if done%200 == 0 || done == total {
		m.Say(fmt.Sprintf("renewing the archive: %s of %s sessions", plain.Count(int64(done)), plain.Count(int64(total))))
	}
}

func progressText(p ingest.Progress) string {
	if p.Linking {
		return "linking sessions"
	}
	text := fmt.Sprintf("%3d %%  %s of %s files  %s of %s", 100*p.BytesDone/max(p.Bytes, 1), plain.Count(int64(p.FilesDone)), plain.Count(int64(p.Files)),
		plain.Size(p.BytesDone), plain.Size(p.Bytes))
	if rate := float64(p.BytesDone) / p.Took.Seconds(); rate > 0 {
		left := time.Duration(float64(p.Bytes-p.BytesDone) / rate * float64(time.Second)).Round(time.Second)
		text += fmt.Sprintf("  %s/s  %s left", plain.Size(int64(rate)), plain.Duration(max(left, time.Second)))
	}
	return text
}
