package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"aburn/internal/fetch"
)

// Way is a further way to notify, which the person set up under a name. It has a program or an address.
type Way struct {
	Name    string   // the setting that enables it
	Command []string // gets Notice.JSON on stdin
	URL     string
	Header  map[string]string
	// Slack says that URL is an incoming webhook of Slack's form; otherwise it gets Notice.Away.
	Slack bool
}

// postTime bounds all tries of one notice.
const postTime = 40 * time.Second

// mostPosts is how many notices at once go to a room where people talk, one by one.
const mostPosts = 5

// Check says what is wrong with the way, nil if nothing is.
func (w *Way) Check() error {
	if len(w.Command) > 0 && w.URL == "" {
		return nil
	}
	if w.URL == "" {
		return errors.New("it has no address and no program")
	}
	if err := fetch.Check(w.URL); err != nil {
		return errors.New("its address " + err.Error())
	}
	for name, value := range w.Header {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) || strings.ContainsAny(value, "\r\n\x00") {
			return errors.New("one of its headers cannot be sent")
		}
	}
	return nil
}

// addWay gives a way a channel of its own, so that none waits for another one.
func (n *Notifier) addWay(ctx context.Context, w Way) {
	send := func(ctx context.Context, batch []Notice) error { return n.runEach(ctx, w.Command, batch) }
	if w.URL != "" {
		send = func(ctx context.Context, batch []Notice) error { return n.post(ctx, w, batch) }
	}
	n.add(ctx, w.Name, send)
}

func (n *Notifier) post(ctx context.Context, w Way, batch []Notice) error {
	var first error
	if w.Slack {
		batch = condense(batch, mostPosts)
	}
	for _, notice := range batch {
		if ctx.Err() != nil {
			return first
		}
		if err := n.postOne(ctx, w, notice); first == nil && ctx.Err() == nil {
			first = err
		}
	}
	return first
}

// postOne may deliver a notice twice, if an answer is lost: its id says that it is the same.
func (n *Notifier) postOne(ctx context.Context, w Way, notice Notice) error {
	ctx, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	body := notice.Away
	if w.Slack {
		body = slackText(notice)
	}
	header := map[string]string{"Content-Type": "application/json"}
	for name, value := range w.Header {
		header[name] = value
	}
	_, err := cmp.Or(n.options.Fetch, &n.fetch).Do(ctx, fetch.Request{Method: "POST", URL: w.URL, Header: header, Body: body, Repeat: true})
	return err
}

// slackText is a message as Slack's incoming webhooks take it. What is quoted mentions nobody and links to nothing.
func slackText(notice Notice) []byte {
	plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	mark := ""
	if notice.Urgent {
		mark = ":warning: "
	}
	body, _ := json.Marshal(map[string]any{"text": mark + plain.Replace(notice.Title) + "\n" + plain.Replace(notice.Text), "mrkdwn": false}) // strings
	return body
}
