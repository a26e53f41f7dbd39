package scope

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/term"
	"aburn/trace"
)

// Before a command reads the archive it brings it up to date, for a short time. The person who just ended a session
// wants to see it. What agents ask through `aburn mcp` does not do that: it must answer at once.

// How long a command looks for new sessions and reads them before it answers, how much of that it looks at most, and how
// long it waits for another ingest. A hook's ingest at a session's end lets the agent finish writing for two seconds.
const (
	readingTime  = 3 * time.Second
	lookingTime  = readingTime / 2
	lockPatience = 3 * time.Second
)

// patience bounds what a command waits for.
type patience struct {
	lock time.Duration // of another ingest
	most int64         // bytes to read, 0 for any number
}

var (
	patient = patience{lock: lockPatience}
	hasty   = patience{most: 8 << 20} // a fifth of a second
)

// How long the same command reads after it renewed the archive, whose sessions are all to be read again, and how long it
// waits for another process that may be renewing it: without that it has no answer.
const (
	renewedTime   = time.Minute
	renewPatience = time.Minute
)

// IngestFlag is for commands that read the archive.
func IngestFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-ingest", Usage: "answer from the archive as it is, without reading new sessions first"}
}

// CatchUp reads what is new in the sessions that a command is about. Where it cannot read, or not all, it says so, and the
// command answers from what the archive has. It fails only if that is nothing: an empty answer would say that there are no
// sessions, and nobody knows that.
func CatchUp(ctx context.Context, a *kit.App, cmd *cli.Command, what Choice) error {
	dir, err := catchUp(ctx, a, cmd, what, patient)
	if err == nil {
		return nil
	}
	failed := kit.FailureOf(err)
	if !holdsSessions(ctx, dir) {
		return kit.BadNews("the archive has no session, and none could be read into it: "+failed.Msg, failed.Hints...)
	}
	warnLeftOut(a, failed)
	return nil
}

// CatchUpOrWarn is CatchUp for a command that has more to say than what the archive has. It never fails.
func CatchUpOrWarn(ctx context.Context, a *kit.App, cmd *cli.Command, what Choice) {
	if _, err := catchUp(ctx, a, cmd, what, patient); err != nil {
		warnLeftOut(a, kit.FailureOf(err))
	}
}

// CatchUpAtOnce is CatchUpOrWarn for a command that must not wait. It reads little, waits for no other ingest, and says what
// it leaves unread.
func CatchUpAtOnce(ctx context.Context, a *kit.App, cmd *cli.Command, what Choice) {
	if _, err := catchUp(ctx, a, cmd, what, hasty); err != nil {
		warnLeftOut(a, kit.FailureOf(err))
	}
}

func warnLeftOut(a *kit.App, failed *kit.Failure) {
	a.Warn("new sessions are left out: "+failed.Msg, failed.Hints...)
}

// holdsSessions reports whether the archive has any; also where that cannot be read: the command meets that error itself.
func holdsSessions(ctx context.Context, dir string) bool {
	arch, err := archive.View(ctx, dir)
	if err != nil {
		none := (*archive.NotFound)(nil)
		return !errors.As(err, &none)
	}
	defer arch.Close()
	n, err := CountArchived(ctx, arch)
	return n > 0 || err != nil
}

// catchUp is CatchUp without a word on why nothing could be read. dir is the archive's.
func catchUp(ctx context.Context, a *kit.App, cmd *cli.Command, what Choice, p patience) (dir string, err error) {
	c := CallerOf(a, cmd)
	if dir = archive.Dir(c.Env); cmd.Bool("no-ingest") || dir == "" {
		return dir, nil
	}
	within := readingTime
	if renewArchive(ctx, a, c, dir) {
		within = renewedTime
	}
	began := time.Now()
	changes, err := ingest.Look(ctx, ingest.LookOptions{
		Dir: dir, Readers: Readers(), Places: trace.Places{Home: c.Env("HOME"), Getenv: c.Env}, Project: projectAsked(ctx, c, what.Project), Until: began.Add(lookingTime),
	})
	if err != nil { // the command meets the same error and prints it
		return dir, nil
	}
	defer changes.Remember(ctx)
	if p.most > 0 {
		if n, bytes := changes.Leave(p.most); n > 0 {
			a.Note(fmt.Sprintf("not read yet: %s of %s: amounts may lack those sessions", plain.Size(bytes), plain.Plural(int64(n), "changed file")))
			a.Hint("aburn ingest  # reads them all")
		}
	}
	report := &ingest.Report{}
	if len(changes.Stores) > 0 {
		report, err = readChanges(ctx, c, dir, changes.Stores, within-min(time.Since(began), lookingTime), p.lock)
	}
	return dir, noteCatchUp(a, changes, report, err)
}

// Refresh reads what is new in the sessions of a folder. Nobody waits for it and nothing is said: whoever asks later has it.
func Refresh(ctx context.Context, c *Caller, folder string) error {
	dir := archive.Dir(c.Env)
	if dir == "" {
		return NoHome()
	}
	changes, err := ingest.Look(ctx, ingest.LookOptions{
		Dir: dir, Readers: Readers(), Places: trace.Places{Home: c.Env("HOME"), Getenv: c.Env}, Project: folder, Until: time.Now().Add(lookingTime),
	})
	if err != nil {
		return err
	}
	defer changes.Remember(ctx)
	if len(changes.Stores) > 0 {
		_, err = readChanges(ctx, c, dir, changes.Stores, lookingTime, lockPatience)
	}
	return err
}

// renewArchive makes an older aburn's archive one of this aburn's, and reports whether it did. Like CatchUp it never
// fails: the command meets the older archive and says so.
func renewArchive(ctx context.Context, a *kit.App, c *Caller, dir string) bool {
	var wrong *archive.WrongSchema
	view, err := archive.View(ctx, dir)
	if err == nil {
		view.Close()
	}
	if !errors.As(err, &wrong) || !wrong.Older() {
		return false
	}
	meter := &Meter{Out: c.Progress}
	defer meter.Clear()
	waiting, giveUp := context.WithTimeout(ctx, renewPatience)
	defer giveUp()
	var renewed *archive.Renewed
	err = ingest.Exclusively(waiting, dir, func() { meter.Say("waiting for another ingest") }, func() error {
		r, err := archive.Renew(ctx, dir, meter.Renewing)
		if r != nil {
			renewed = r
		}
		return err
	})
	meter.Clear()
	switch {
	case renewed != nil:
		NoteRenewed(a, renewed)
	case waiting.Err() != nil && ctx.Err() == nil:
		a.Note("another ingest is running: it may be renewing the archive")
	case err != nil:
		failed := kit.FailureOf(err)
		a.Warn("the archive is an older aburn's and cannot be renewed: "+failed.Msg, failed.Hints...)
	}
	return renewed != nil
}

// NoteRenewed says what became of an older archive.
func NoteRenewed(a *kit.App, r *archive.Renewed) {
	a.Note(fmt.Sprintf("an older aburn wrote the archive; it was renewed with its %s. The older file is kept: %s", plain.Plural(int64(r.Sessions), "session"), project.Tilde(r.Kept, a.Getenv)))
	if r.Unread > 0 {
		a.Note(plain.Plural(int64(r.Unread), "session") + " in it could not be read: only the older aburn reads them, in that file")
	}
}

// projectAsked is the folder that --project means, or "" if that is none or unknown: then all projects are asked for.
func projectAsked(ctx context.Context, c *Caller, name string) string {
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

// readChanges reads stores into the archive, under its lock. The report is nil if nothing was begun.
func readChanges(ctx context.Context, c *Caller, dir string, stores []trace.Store, within, lock time.Duration) (first *ingest.Report, err error) {
	meter := &Meter{Out: c.Progress}
	defer meter.Clear()
	o := ingest.Options{Readers: Readers(), Places: trace.Places{Home: c.Env("HOME"), Getenv: c.Env}, Stores: stores, Within: within, Progress: meter.Show, Keep: KeepFrom(c)}
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
func KeepFrom(c *Caller) time.Time {
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

// noteCatchUp says what the answer lacks. It gives back the error for which nothing could be read.
func noteCatchUp(a *kit.App, changes *ingest.Changes, r *ingest.Report, err error) error {
	noPlace := (*archive.NoPlace)(nil)
	if len(changes.Closed) > 0 {
		a.Note("folders of " + strings.Join(changes.Closed, ", ") + " cannot be read: the answer lacks the sessions in them")
		a.Hint("aburn ingest  # says why")
	}
	switch {
	case errors.Is(err, ingest.ErrBusy):
		a.Note("another ingest is running: the answer may lack what it is reading")
		return nil
	case errors.As(err, &noPlace):
		a.Note("the archive cannot be written here, so that new sessions are left out: " + err.Error())
		return nil
	case err != nil:
		return err
	}
	unread := 0
	for i := range r.Sources {
		unread += len(r.Sources[i].Skipped)
	}
	switch {
	case changes.Partial:
		a.Note(fmt.Sprintf("not all folders of the agents could be searched in %d seconds: the answer may lack new sessions", int(readingTime.Seconds())))
		a.Hint("aburn ingest  # reads them all")
	case r.Left+changes.Unseen > 0:
		a.Note(fmt.Sprintf("%s could not be read in %d seconds: the answer may lack new sessions", plain.Plural(int64(r.Left+changes.Unseen), "changed file"), int(readingTime.Seconds())))
		a.Hint("aburn ingest  # reads them all")
	case unread > 0:
		a.Note(plain.Plural(int64(unread), "new session") + " could not be read")
		a.Hint("aburn ingest  # says why")
	}
	return nil
}

// Meter shows the progress of an ingest, if its Out is a terminal.
type Meter struct {
	Out   *term.Out
	width int // of what stands there
}

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

// Say replaces what is shown.
func (m *Meter) Say(text string) {
	if !m.Out.Terminal() {
		return
	}
	text = plain.Cut(text, max(m.Out.Width()-1, 1))
	fmt.Fprintf(m.Out, "\r%s", plain.Pad(text, m.width))
	m.width = plain.Width(text)
}

// Clear takes away what is shown.
func (m *Meter) Clear() {
	if m.width > 0 {
		fmt.Fprintf(m.Out, "\r%s\r", strings.Repeat(" ", m.width))
		m.width = 0
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
