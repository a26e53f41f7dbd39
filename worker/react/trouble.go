package react

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/ledger"
)

// trouble is what is wrong under one key, or worth telling.
type trouble struct {
	key   string
	parts []part
	wait  bool // something is not known yet
	good  bool // it is good news: only a person is told
	about string
}

// part is one item with what is said of it.
type part struct {
	id   string
	line string // one line of ours
	data string // of the forge's
	none bool   // the forge says nothing that could be told

	stopped bool // a check that no commit mends
}

// troubles are all keys that the pull request can be about; one without parts is none, and what waits of it is old.
func troubles(c Case, rules Rules, now Clock) []trouble {
	p := c.Pull
	name := fmt.Sprintf("#%d", p.Number)
	switch p.Is {
	case worker.PullMerged:
		return []trouble{{key: KeyMerged, parts: []part{{id: item(KeyMerged, name)}}, good: true, about: name + " is merged"}}
	case worker.PullClosed:
		return []trouble{{key: KeyClosed, parts: []part{{id: item(KeyClosed, name)}}, good: true, about: name + " was closed without a merge"}}
	}
	list := []trouble{checks(c, now), conflicts(p), threads(p, worker.KeyChanges, false), threads(p, worker.KeyBots, true)}
	if p.LeftOut > 0 {
		text := fmt.Sprintf("%s has %s", name, strangers(p))
		list = append(list, trouble{key: KeyStrangers, parts: []part{{id: item(KeyStrangers, name)}}, good: true, about: text + ": its agent does not get them"})
	}
	if p.Green() {
		merges := rules.Of(KeyGreen).merges() && p.Approved() // an approval is news only where a merge waits for it
		text := name + " can be merged: its checks passed, and no review is missing"
		list = append(list, trouble{key: KeyGreen, parts: []part{{id: item(KeyGreen, p.Head, strconv.FormatBool(merges))}}, good: true, about: text})
	}
	return list
}

// strangers says how much is left out.
func strangers(p *forge.Pull) string {
	return plain.Plural(int64(p.LeftOut), "comment") + " of people who may not write to this repository"
}

// item is a short name of what is told.
func item(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// checks waits for those that still run, so that one message names all that failed, and for their logs.
func checks(c Case, now Clock) trouble {
	p, t := c.Pull, trouble{key: worker.KeyCI, about: "checks failed"}
	failing := p.Failing()
	running := slices.ContainsFunc(p.Checks, func(k forge.Check) bool { return k.Is == worker.CheckPending })
	t.wait = running && !slices.ContainsFunc(c.Entries, func(e ledger.Entry) bool {
		return e.Kind == worker.Checked && e.Is == worker.CheckFailing && e.Head == p.Head && now.since(&e) >= settle
	})
	logs := 0
	for _, k := range failing {
		d := part{id: item(worker.KeyCI, p.Head, k.Name), line: k.Name, data: k.Said, stopped: k.Stopped}
		if k.Why != "" {
			d.line += " (" + k.Why + ")"
		}
		if hasLog(k) && logs < maxLogs {
			log, ok := c.Log(k)
			t.wait = t.wait || !ok
			if logs++; log.Text != "" {
				d.data = log.Text
			}
			if log.Step != "" {
				d.line += ", step " + log.Step
			}
		}
		d.none = d.data == "" || d.stopped
		t.parts = append(t.parts, d)
	}
	return t
}

// hasLog reports whether the log of a check says what an agent could mend.
func hasLog(k forge.Check) bool { return k.ID != "" && !k.Stopped }

// maxLogs is of how many checks a message has the log.
const maxLogs = 2

// Logs are the checks whose logs a message would have.
func Logs(p *forge.Pull) (list []forge.Check) {
	for _, k := range p.Failing() {
		if hasLog(k) && len(list) < maxLogs {
			list = append(list, k)
		}
	}
	return list
}

func conflicts(p *forge.Pull) trouble {
	t := trouble{key: worker.KeyConflicts, about: "it conflicts with " + p.Base}
	if p.Conflicts == nil {
		t.wait = true
	} else if *p.Conflicts {
		t.parts = []part{{id: item(worker.KeyConflicts, p.Head, p.BaseAt),
			line: fmt.Sprintf("%s does not merge into %s, which stands on %s", short(p.Head), p.Base, short(p.BaseAt))}}
	}
	return t
}

func short(commit string) string { return commit[:min(8, len(commit))] }

// threads are open conversations, and reviews that ask for changes with words of their own.
func threads(p *forge.Pull, key string, bots bool) trouble {
	t := trouble{key: key, about: "changes are asked for"}
	if bots {
		t.about = "a program commented"
	}
	said := false
	for _, th := range p.Unanswered(bots) {
		said = true
		where := th.Path
		if th.Line > 0 {
			where = fmt.Sprintf("%s:%d", th.Path, th.Line)
		}
		d := part{id: item(key, th.ID, th.Last().ID), line: where}
		for _, c := range th.Comments {
			d.data += c.Author + ": " + c.Text + "\n"
		}
		d.none = strings.TrimSpace(th.Last().Text) == ""
		t.parts = append(t.parts, d)
	}
	for _, r := range p.Reviews {
		if bots || r.Bot || r.State != worker.ReviewChanges || p.Decision != "" && p.Decision != worker.ReviewChanges || strings.TrimSpace(r.Text) == "" && said {
			continue
		}
		t.parts = append(t.parts, part{id: item(key, r.ID), line: "the review of " + r.Author, data: r.Text, none: strings.TrimSpace(r.Text) == ""})
	}
	return t
}

func heads(parts []part) string {
	var list []string
	for _, p := range parts[:min(len(parts), 5)] {
		if p.line != "" {
			list = append(list, p.line)
		}
	}
	if len(parts) > 5 {
		list = append(list, "…")
	}
	return strings.Join(list, "; ")
}
