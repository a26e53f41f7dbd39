package round

import (
	"context"
	"errors"
	"time"

	"aburn/worker"
	"aburn/worker/manager"
)

// A dialog of which no hook told is looked for on the screen of a worker of which nothing is heard.
//
//   - It counts after a minute in which nothing was heard and no key was pressed, and in which the same words were seen twice, ten
//     seconds or more apart. As in still.go only time of this machine awake counts.
//   - It is written once, and taken back when the screen shows it no more. The next entry of the agent takes it back too.
//   - A screen without a dialog is looked at less and less often.

// Times between two looks at a screen.
const (
	dialogAfter = time.Minute
	screenAgain = 10 * time.Second // while a dialog is seen, and after the last entry
	screenMost  = 5 * time.Minute
	screenTime  = 2 * time.Second // that a runtime may take
)

// watch is what was seen of one worker's screen since its last entry.
type watch struct {
	boot, newest string
	since        time.Duration // nothing was heard
	next         time.Duration // of the next look
	wait         time.Duration
	words        string // of the dialog, since seen
	seen         time.Duration
}

// see takes the next look. shows says what a dialog on the screen says, "" for none; ok is false if nobody knows, or a person is at it.
// A due word is to be written down.
func (d *watch) see(now sight, waits bool, shows func() (words string, ok bool)) (words string, due bool) {
	if now.up <= 0 || now.boot != d.boot || now.newest != d.newest || now.up < d.since {
		*d = watch{boot: now.boot, newest: now.newest, since: now.up, next: now.up + screenAgain, wait: screenAgain}
		return "", false
	}
	if now.up < d.next {
		return "", false
	}
	words, ok := shows()
	switch {
	case !ok:
		d.words, d.next = "", now.up+screenAgain
		return "", false
	case words == "":
		d.words, d.next, d.wait = "", now.up+d.wait, min(2*d.wait, screenMost)
		return "", waits
	}
	d.next = now.up + screenAgain
	if words != d.words {
		d.words, d.seen = words, now.up
		return "", false
	}
	return words, !waits && now.up-d.since >= dialogAfter && now.up-d.seen >= screenAgain
}

// dialogs looks at the screens whose turn it is.
func (p *Project) dialogs(ctx context.Context, at time.Time) error {
	now := p.sight()
	before := p.watched
	p.watched = map[string]*watch{}
	var failed error
	for _, m := range p.members {
		waits := m.Err == nil && manager.OnScreen(m) != ""
		if m.Err != nil || m.IsRemote() || m.Over() || !waits && m.Worker.State != worker.NotStarted && m.Worker.State != worker.Working &&
			m.Worker.Reason != worker.AgentAcknowledged || !manager.HasScreen(p.Manager, m) {
			continue
		}
		d := before[m.Name]
		if d == nil {
			d = &watch{}
		}
		p.watched[m.Name], now.newest = d, newestOf(m)
		words, due := d.see(now, waits, func() (string, bool) { return p.dialog(ctx, m, at) })
		if due {
			failed = errors.Join(failed, manager.NoteDialog(ctx, p.Manager, m, words))
		}
	}
	return failed
}

// dialog is what a dialog on a member's screen says. ok is false where the screen cannot be read, or a person pressed a key there lately.
func (p *Project) dialog(ctx context.Context, m *manager.Member, at time.Time) (words string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, screenTime)
	defer cancel()
	words, touched, err := manager.ReadDialog(ctx, p.Manager, m)
	return words, err == nil && (touched.IsZero() || at.Sub(touched) >= dialogAfter)
}
