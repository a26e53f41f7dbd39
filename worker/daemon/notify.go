package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"aburn/internal/notify"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/settings"
	"aburn/worker/config"
	"aburn/worker/projects"
	"aburn/worker/round"
)

// noticeTime is how long the ways to notify have for one notice, endTime how long once nobody looks after workers any more.
const noticeTime, endTime = 45 * time.Second, 2 * time.Second

// notify tells the person of notices, and returns when that is done or ctx is. A way that fails is said and does not keep the
// others from it.
func (d *daemon) notify(ctx context.Context, root string, o *projects.Project, list []round.Notice) error {
	s := settings.Load(o.Workspace.Project, d.env).Notify
	if s.Line != "" {
		s.Command = notify.Shell(s.Line)
	}
	c, err := o.Config("")
	if err != nil { // what the settings say counts all the same
		d.say(root, err.Error())
		c = &config.Config{}
	}
	for _, x := range list {
		d.say(root, x.Title+": "+x.Text)
		options, wrong := WaysFor(c, s, x, d.env)
		for _, text := range wrong {
			d.say(root, text)
		}
		options.Env = d.env
		options.Report = func(channel string, err error) { d.say(root, channel+": "+err.Error()) }
		n := notify.New(options)
		stop := context.AfterFunc(ctx, func() { n.Close(endTime) })
		if told, err := noticeOf(x, root); err == nil {
			n.Tell(told)
		}
		n.Close(noticeTime)
		stop()
	}
	return ctx.Err()
}

// NoticeReport is what a notifier gets: a program on stdin, a web service as the body.
type NoticeReport struct {
	round.Notice
	ID      string `json:"id"`
	Project string `json:"project"` // its folder; only the name of that for a web service
}

// noticeOf is a notice for people and programs. Recorded text in it is scrubbed: it may leave this machine.
func noticeOf(x round.Notice, root string) (n notify.Notice, err error) {
	for _, text := range []*string{&x.Title, &x.Text, &x.Hint} {
		*text, _ = scrub.Text(plain.Line(*text))
	}
	n = notify.Notice{Key: x.ID(), Title: x.Title + " · " + plain.Line(filepath.Base(root)), Text: x.Text, Urgent: x.Urgent}
	if x.Hint != "" {
		n.Text += " (" + x.Hint + ")"
	}
	if n.JSON, err = json.Marshal(NoticeReport{x, x.ID(), root}); err == nil {
		n.JSON = append(n.JSON, '\n')
		n.Away, err = json.Marshal(NoticeReport{x, x.ID(), filepath.Base(root)})
	}
	return n, err
}
