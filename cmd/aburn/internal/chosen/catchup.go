package chosen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/trace"
	"aburn/trace/readers"
)

// Before a command reads the archive it brings it up to date, for a short time. The person who just ended a session
// wants to see it. What agents ask through `aburn mcp` does not do that: it must answer at once.

// patience bounds what a command waits for.
type patience struct {
	lock time.Duration // of another ingest
	most int64         // bytes to read, 0 for any number
}

var (
	patient = patience{lock: lookup.LockPatience}
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
func CatchUp(ctx context.Context, a *kit.App, cmd *cli.Command, what lookup.Choice) error {
	dir, err := catchUp(ctx, a, cmd, what, patient)
	if err == nil {
		return nil
	}
	failed := fault.Of(err)
	if !holdsSessions(ctx, dir) {
		return fault.Failed("the archive has no session, and none could be read into it: "+failed.Msg, failed.Hints...)
	}
	warnLeftOut(a, failed)
	return nil
}

// CatchUpOrWarn is CatchUp for a command that has more to say than what the archive has. It never fails.
func CatchUpOrWarn(ctx context.Context, a *kit.App, cmd *cli.Command, what lookup.Choice) {
	if _, err := catchUp(ctx, a, cmd, what, patient); err != nil {
		warnLeftOut(a, fault.Of(err))
	}
}

// CatchUpAtOnce is CatchUpOrWarn for a command that must not wait. It reads little, waits for no other ingest, and says what
// it leaves unread.
func CatchUpAtOnce(ctx context.Context, a *kit.App, cmd *cli.Command, what lookup.Choice) {
	if _, err := catchUp(ctx, a, cmd, what, hasty); err != nil {
		warnLeftOut(a, fault.Of(err))
	}
}

func warnLeftOut(a *kit.App, failed *fault.Error) {
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
	n, err := lookup.CountArchived(ctx, arch)
	return n > 0 || err != nil
}

// catchUp is CatchUp without a word on why nothing could be read. dir is the archive's.
func catchUp(ctx context.Context, a *kit.App, cmd *cli.Command, what lookup.Choice, p patience) (dir string, err error) {
	c := scope.CallerOf(a, cmd)
	if dir = archive.Dir(c.Env); cmd.Bool("no-ingest") || dir == "" {
		return dir, nil
	}
	within := lookup.ReadingTime
	if renewArchive(ctx, a, c, dir) {
		within = renewedTime
	}
	began := time.Now()
	changes, err := ingest.Look(ctx, ingest.LookOptions{
		Dir: dir, Readers: readers.Readers(), Places: trace.Places{Home: c.Env("HOME"), Getenv: c.Env}, Project: lookup.ProjectAsked(ctx, c, what.Project),
		Until: began.Add(lookup.LookingTime),
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
	if len(changes.Stores) == 0 {
		err = createArchive(ctx, dir, p.lock)
	} else {
		report, err = lookup.ReadChanges(ctx, c, dir, changes.Stores, within-min(time.Since(began), lookup.LookingTime), p.lock)
	}
	return dir, noteCatchUp(a, changes, report, err)
}

// createArchive creates the archive where there is none, so that a command on an empty machine answers as on any other. It
// leaves it to another process that holds the lock for too long.
func createArchive(ctx context.Context, dir string, patience time.Duration) error {
	view, err := archive.View(ctx, dir)
	if err == nil {
		return view.Close()
	}
	if none := (*archive.NotFound)(nil); !errors.As(err, &none) {
		return nil // the command meets the same error and prints it
	}
	waiting, giveUp := context.WithTimeout(ctx, patience)
	defer giveUp()
	err = ingest.Exclusively(waiting, dir, func() {}, func() error {
		arch, err := archive.Open(ctx, dir)
		if err != nil {
			return err
		}
		return arch.Close()
	})
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return ingest.ErrBusy
	}
	return err
}

// renewArchive makes an older aburn's archive one of this aburn's, and reports whether it did. Like CatchUp it never
// fails: the command meets the older archive and says so.
func renewArchive(ctx context.Context, a *kit.App, c *workspace.Caller, dir string) bool {
	var wrong *archive.WrongSchema
	view, err := archive.View(ctx, dir)
	if err == nil {
		view.Close()
	}
	if !errors.As(err, &wrong) || !wrong.Older() {
		return false
	}
	meter := &lookup.Meter{Meter: term.Meter{Out: c.Progress}}
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
		failed := fault.Of(err)
		a.Warn("an older aburn wrote the archive, and it can't be renewed: "+failed.Msg, failed.Hints...)
	}
	return renewed != nil
}

// NoteRenewed says what became of an older archive.
func NoteRenewed(a *kit.App, r *archive.Renewed) {
	a.Note(fmt.Sprintf("an older aburn wrote the archive; it was renewed with its %s. The older file is still there: %s",
		plain.Plural(int64(r.Sessions), "session"), project.Tilde(r.Kept, a.Getenv)))
	if r.Unread > 0 {
		a.Note(plain.Plural(int64(r.Unread), "session") + " in it could not be read: only the older aburn can read them, from that file")
	}
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
		a.Note("the archive can't be written here, so new sessions are left out: " + err.Error())
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
		a.Note(fmt.Sprintf("not all folders of the agents could be searched in %d seconds: the answer may lack new sessions", int(lookup.ReadingTime.Seconds())))
		a.Hint("aburn ingest  # reads them all")
	case r.Left+changes.Unseen > 0:
		a.Note(fmt.Sprintf("%s could not be read in %d seconds: the answer may lack new sessions", plain.Plural(int64(r.Left+changes.Unseen), "changed file"),
			int(lookup.ReadingTime.Seconds())))
		a.Hint("aburn ingest  # reads them all")
	case unread > 0:
		a.Note(plain.Plural(int64(unread), "new session") + " could not be read")
		a.Hint("aburn ingest  # says why")
	}
	return nil
}
