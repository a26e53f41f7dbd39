package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/look"
	"aburn/supervisor/state"
	"aburn/supervisor/watchlock"
)

// soon is how long a test waits for what has to come: a hang, not a slow machine.
const soon = 2 * time.Minute

// looker is a look that finds what the test says.
type looker struct {
	mu     sync.Mutex
	finds  string // the signatures of issues that stand, see issuesOf
	before string // those that the log says were told
	err    error
	hangs  bool // until the watch ends
	tell   error
	told   []string
	looks  chan struct{} // one for each look
}

func (l *looker) Once(ctx context.Context, now, until time.Time) (look.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looks <- struct{}{}
	if l.hangs {
		<-ctx.Done()
		return look.Result{}, ctx.Err()
	}
	if l.err != nil {
		return look.Result{}, l.err
	}
	r := look.Result{Now: now, Complete: true, State: &state.State{}}
	for _, word := range strings.Fields(l.finds) {
		signature, queued := strings.CutSuffix(word, "!") // by this look
		i := supervisor.Issue{Type: limits.Loop, Signature: signature, Confidence: 0.8, Since: state.Mark{Ord: 1, At: now.UnixMilli()}}
		if strings.HasPrefix(signature, "old") {
			i.Since.At -= (25 * time.Hour).Milliseconds()
		}
		r.Issues = append(r.Issues, i)
		if queued {
			r.Queued = append(r.Queued, look.Queued{Issue: i, Task: "T" + signature})
		}
	}
	l.finds = strings.ReplaceAll(l.finds, "!", "")
	for _, signature := range strings.Fields(l.before) {
		r.State.Told = append(r.State.Told, state.Told{Signature: signature})
	}
	return r, nil
}

func (l *looker) Tell(issues []supervisor.Issue, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range issues {
		l.told = append(l.told, i.Signature)
	}
	return l.tell
}

// set changes what the next looks find.
func (l *looker) set(change func(*looker)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l)
}

// rig is a watch of a real folder with a log.
type rig struct {
	*looker
	t        *testing.T
	dir      string
	log      *journal.Journal
	events   chan string
	problems chan string
	ended    chan error
	stop     context.CancelFunc
}

// watching starts a watch; set says what the first look finds.
func watching(t *testing.T, linger time.Duration, set func(*looker)) *rig {
	t.Helper()
	t.Parallel()
	return cooling(t, linger, 3*time.Second, set)
}

func cooling(t *testing.T, linger, cooldown time.Duration, set func(*looker)) *rig {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".oss")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := &rig{
		looker: &looker{looks: make(chan struct{}, 10_000)}, t: t, dir: dir,
		events: make(chan string, 100), problems: make(chan string, 100), ended: make(chan error, 1),
	}
	set(r.looker)
	root := openRoot(t, dir)
	r.log = journal.New(root, journal.Options{By: journal.Command})
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	l := limits.Default()
	l.Cooldown = cooldown
	o := Options{
		Root: root, Path: dir, Look: r.looker, Limits: l, Linger: linger,
		Started: func() {}, Event: func(e Event) {
			r.events <- strings.TrimSuffix(fmt.Sprintf("%s %s %s", e.Kind, e.Signature, e.Task), " ")
		},
		Problem: func(err error) { r.problems <- err.Error() },
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.ended <- Run(ctx, o)
	}()
	t.Cleanup(func() { stop(); <-done })
	return r
}

func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// entry appends one to the log.
func (r *rig) entry() {
	r.t.Helper()
	e := &logfmt.Entry{Time: time.Now(), Cmd: "build", Event: logfmt.Milestone, Source: "prompt"}
	if _, err := r.log.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) wants(events ...string) {
	r.t.Helper()
	for _, want := range events {
		select {
		case got := <-r.events:
			if got != want {
				r.t.Fatalf("event %q, want %q", got, want)
			}
		case err := <-r.ended:
			r.t.Fatalf("the watch ended with %v, want %q", err, want)
		case <-time.After(soon):
			r.t.Fatalf("event %q did not come", want)
		}
	}
}

// drain forgets the looks so far.
func (r *rig) drain() {
	for len(r.looks) > 0 {
		<-r.looks
	}
}

// looked waits for n more looks.
func (r *rig) looked(n int) {
	r.t.Helper()
	for range n {
		select {
		case <-r.looks:
		case <-time.After(soon):
			r.t.Fatal("no look was made")
		}
	}
}

func (r *rig) wantsEnd(want error) {
	r.t.Helper()
	select {
	case err := <-r.ended:
		if !errors.Is(err, want) {
			r.t.Errorf("the watch ended with %v, want %v", err, want)
		}
	case <-time.After(soon):
		r.t.Fatal("the watch did not end")
	}
	if len(r.events) > 0 {
		r.t.Errorf("event %q came too", <-r.events)
	}
}

func TestEachIssueIsToldOnce(t *testing.T) {
	r := watching(t, 0, func(l *looker) { l.finds, l.before = "told a old", "told" })
	r.wants("standing told", "raised a", "standing old")
	r.set(func(l *looker) { l.finds = "told a b! c" })
	r.entry()
	r.wants("raised b Tb", "raised c", "resolved old")
	r.set(func(l *looker) { l.finds = "a! c" })
	r.entry()
	r.wants("queued a Ta", "resolved told", "resolved b")
	r.set(func(l *looker) { l.finds = "b" })
	r.entry()
	r.wants("resolved a", "resolved c")
	r.set(func(l *looker) { l.finds = "b older" }) // what comes up while it watches is news, however old
	r.entry()
	r.wants("raised older")
	r.stop()
	r.wantsEnd(nil)
	if want := []string{"a", "b", "c", "older"}; !slices.Equal(r.told, want) {
		t.Errorf("told: %s, want %s", r.told, want)
	}
}

// What comes and goes is told again only after the cooldown, and resolved no more often than told.
func TestComingAndGoing(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	for cooldown := 3 * time.Second; !cameAndWent(t, cooldown); cooldown *= 2 {
		if cooldown > soon {
			t.Fatal("six looks take longer than a cooldown")
		}
	}
}

// cameAndWent is false where a slow machine did not look six times within the cooldown.
func cameAndWent(t *testing.T, cooldown time.Duration) bool {
	r := cooling(t, 0, cooldown, func(l *looker) { l.finds = "a" })
	begun := time.Now()
	r.wants("raised a")
	for range 3 {
		for _, finds := range []string{"", "a"} {
			r.set(func(l *looker) { l.finds = finds })
			r.drain()
			r.entry()
			r.looked(1)
		}
	}
	inTime := time.Since(begun) < cooldown/2
	if inTime {
		r.wants("resolved a", "raised a") // now it stays
	}
	r.stop()
	if !inTime {
		return false
	}
	r.wantsEnd(nil)
	if want := []string{"a", "a"}; !slices.Equal(r.told, want) {
		t.Errorf("told: %s, want %s", r.told, want)
	}
	return true
}

// Where nothing can be written into the log, the user is told all the same, and once.
func TestToldThoughTheLogIsFull(t *testing.T) {
	r := watching(t, 0, func(l *looker) { l.finds, l.tell = "a", errors.New("no space left on device") })
	r.wants("raised a")
	r.entry()
	r.entry()
	r.looked(2)
	r.stop()
	r.wantsEnd(nil)
	if got := <-r.problems; got != "no space left on device" || len(r.problems) > 0 {
		t.Errorf("problems: %q and %d more", got, len(r.problems))
	}
}

// A look that fails is made again, and what went wrong is said once.
func TestLookFails(t *testing.T) {
	for name, fails := range map[string]error{"busy": look.ErrBusy, "broken": errors.New("broken")} {
		t.Run(name, func(t *testing.T) {
			r := watching(t, 0, func(l *looker) { l.finds, l.err = "a", fails })
			r.looked(3)
			r.set(func(l *looker) { l.err = nil })
			r.wants("raised a")
			r.set(func(l *looker) { l.err = fails }) // what stood is not gone because nobody can look
			r.entry()
			r.looked(2)
			r.set(func(l *looker) { l.err, l.finds = nil, "a b" })
			r.wants("raised b")
			r.stop()
			r.wantsEnd(nil)
			want := 1
			if name == "busy" {
				want = 0
			}
			if len(r.problems) != want {
				t.Errorf("%d problems were said, want %d", len(r.problems), want)
			}
		})
	}
}

// A storm of entries costs a look now and then.
func TestLooksAreSpaced(t *testing.T) {
	r := watching(t, 0, func(l *looker) {})
	r.looked(1)
	start := time.Now()
	for range 300 {
		r.entry()
	}
	r.set(func(l *looker) { l.finds = "a" })
	r.entry()
	r.wants("raised a")
	n := len(r.looks) // first: those that come later are not of this time
	if most := int(time.Since(start)/spacing) + 3; n > most {
		t.Errorf("%d looks for 301 entries in %v, at most %d were expected", n, time.Since(start), most)
	}
}

// An entry lets it live longer.
func TestEndsWhenNothingLives(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	for linger := 2 * time.Second; !ended(t, linger); linger *= 2 {
		if linger > soon {
			t.Fatal("no entry comes before the end")
		}
	}
}

// ended is false where a slow machine wrote no entry before the end.
func ended(t *testing.T, linger time.Duration) bool {
	r := cooling(t, linger, time.Minute, func(l *looker) { l.finds = "a" })
	start := time.Now()
	r.wants("raised a")
	time.Sleep(linger / 4)
	entry := time.Now()
	r.entry()
	if time.Since(start) > linger/2 {
		r.stop()
		return false
	}
	r.wantsEnd(nil)
	if lived := time.Since(entry); lived < linger*9/10 {
		t.Errorf("it ended %v after the entry, and not after %v", lived, linger)
	}
	if _, running := watchlock.Running(openRoot(t, r.dir)); running {
		t.Error("the lock is still held")
	}
	if _, err := os.Stat(filepath.Join(r.dir, watchlock.PIDName)); err == nil {
		t.Error(watchlock.PIDName + " is still there")
	}
	return true
}

// Whatever happens to the log, later entries are looked at.
func TestLogIsTamperedWith(t *testing.T) {
	r := watching(t, 0, func(l *looker) {})
	log := filepath.Join(r.dir, journal.Name)
	for i, change := range []func() error{
		func() error { return nil },
		func() error { return os.Truncate(log, 0) },
		func() error { return os.Remove(log) },
		func() error { return os.Rename(log, log+".old") },
		func() error { return os.WriteFile(log, []byte("\x00\x00{broken\n"), 0o600) },
		r.log.Rotate,
	} {
		r.entry()
		r.looked(1)
		time.Sleep(100 * time.Millisecond)
		if err := change(); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		want := fmt.Sprint("issue", i)
		r.set(func(l *looker) { l.finds += " " + want })
		r.entry()
		r.wants("raised " + want)
	}
}

// A look that the end of the watch cuts short is no problem.
func TestEndsInALook(t *testing.T) {
	r := watching(t, 0, func(l *looker) { l.hangs = true })
	r.looked(1)
	r.stop()
	r.wantsEnd(nil)
	if len(r.problems) > 0 {
		t.Errorf("it complains: %s", <-r.problems)
	}
}

func TestFolderIsGone(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"deleted":  os.RemoveAll,
		"moved":    func(dir string) error { return os.Rename(dir, dir+".old") },
		"replaced": func(dir string) error { return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := watching(t, 0, func(l *looker) { l.finds = "a" })
			r.wants("raised a")
			if err := change(r.dir); err != nil {
				t.Fatal(err)
			}
			r.wantsEnd(ErrGone)
		})
	}
}
