package board

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/internal/entries"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/react"
)

// Moment is one line of what happened to a worker: an entry of the log, or one of its ledger.
type Moment struct {
	At     time.Time
	File   string // log, ledger
	Seq    uint64
	Mark   string
	Name   string
	Text   string
	Failed bool
	Prompt bool

	message string // id of the message that it tells of
}

// logMoments are the newest entries of a worker's tree, the newest first, and the texts of messages that prompts among them show, by id.
func logMoments(o *projects.Project, m *manager.Member, wt string) (list []Moment, texts map[string]string) {
	texts = map[string]string{}
	reach := 0
	for line, err := range o.Workspace.Log.Backward(journal.BackwardOptions{}) {
		if err != nil || reach == timelineReach || len(list) == maxTimeline {
			break
		}
		reach++
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok || line.Carried {
			continue
		}
		if at, err := time.Parse(time.RFC3339Nano, string(h.Time)); err == nil && at.Before(m.Asked.Add(-time.Minute)) {
			break
		}
		if string(h.Wt) != wt || wt == "" {
			continue
		}
		e, err := logfmt.Parse(line.JSON)
		if err != nil {
			continue
		}
		words := entries.Describe(&e)
		text := strings.TrimSpace(words.Path + " " + words.Detail)
		if words.Took != "" {
			text = strings.TrimSpace(text + " (" + words.Took + ")")
		}
		if id := logfmt.MessageIn(text); id != "" && e.Event == logfmt.Prompt {
			_, texts[id], _ = strings.Cut(text, "] ")
		}
		list = append(list, Moment{At: e.Time, File: "log", Seq: uint64(e.Seq), Mark: words.Mark, Name: words.Name, Text: text,
			Failed: e.Event == logfmt.ToolFailed || e.Event == logfmt.TurnFailed, Prompt: e.Event == logfmt.Prompt})
	}
	return list, texts
}

// quote adds to what tells of a message what it said: from the prompt that the agent's hook recorded, or from the outbox while it waits.
func quote(m *Moment, texts map[string]string, waits func(id string) string) {
	if m.message == "" {
		return
	}
	text := texts[m.message]
	if text == "" {
		text = waits(m.message)
	}
	if text = plain.Line(text); text != "" {
		m.Text += ": “" + plain.Cut(text, quoted) + "”"
	}
}

// quoted is how much of a message's text a timeline shows, in bytes.
const quoted = 200

// ledgerMoments are the entries of a ledger without probes that saw what the one before saw.
func ledgerMoments(l *ledger.Contents) (list []Moment) {
	probed := ""
	for i := range l.Entries {
		e := &l.Entries[i]
		mark, text := ledgerWords(e)
		if e.Kind == worker.Probed {
			if text == probed {
				continue
			}
			probed = text
		}
		failed := e.Kind == worker.LaunchFailed || e.Kind == worker.Gated && e.Is == worker.GateFailed
		list = append(list, Moment{At: e.At, File: "ledger", Seq: e.Seq, Mark: mark, Name: strings.ReplaceAll(string(e.Kind), "_", " "), Text: text, Failed: failed,
			message: told(e)})
	}
	return list
}

// told is the message by which an entry tells the agent something, "" if it does not.
func told(e *ledger.Entry) string {
	switch e.Kind {
	case worker.Messaged, worker.Reacted, worker.Gated:
		return e.Message
	}
	return ""
}

// maxForge is how many of the forge's words are shown.
const maxForge = 60

// ofPull are the occasions that a pull request gives; others are the worker's own.
var ofPull = []string{worker.KeyCI, worker.KeyChanges, worker.KeyBots, worker.KeyConflicts, react.KeyGreen, react.KeyClosed, react.KeyMerged}

// forgeMoments are what the forge said, where it said something else than before, and which messages and notices followed.
func forgeMoments(l *ledger.Contents) (list []Moment) {
	said := map[worker.Kind]string{}
	for i := range l.Entries {
		e := &l.Entries[i]
		m := Moment{At: e.At, File: "ledger", Seq: e.Seq}
		switch e.Kind {
		case worker.Pulled:
			m.Mark, m.Name, m.Text = "⎇", "pull request", fmt.Sprintf("#%d %s", e.PR, e.Is)
			if e.Draft {
				m.Text += ", a draft"
			}
			if e.Conflicts {
				m.Text, m.Failed = m.Text+", conflicts with its base", true
			}
		case worker.Checked:
			m.Mark, m.Name, m.Text, m.Failed = "✓", "checks", strings.TrimSpace(e.Is+" "+headWords(e.Head)), e.Is == worker.CheckFailing
			if len(e.Failed) > 0 {
				m.Text += ": " + strings.Join(e.Failed, ", ")
			}
			if m.Failed {
				m.Mark = "✖"
			}
		case worker.Reviewed:
			m.Mark, m.Name, m.Text, m.Failed = "◇", "review", reviewWords(e), e.Is == worker.ReviewChanges
		case worker.Reacted, worker.Escalated:
			if !slices.Contains(ofPull, e.Key) {
				continue
			}
			m.Mark, m.Name, m.Text, m.Failed, m.message = "→", reactionWord(e), reactionText(e), e.Kind == worker.Escalated, told(e)
		default:
			continue
		}
		if e.Kind != worker.Reacted && e.Kind != worker.Escalated {
			if said[e.Kind] == m.Text {
				continue
			}
			said[e.Kind] = m.Text
		}
		list = append(list, m)
	}
	slices.Reverse(list)
	return list[:min(len(list), maxForge)]
}

func headWords(head string) string {
	if head == "" {
		return ""
	}
	return fmt.Sprintf("on %.8s", head)
}

func reviewWords(e *ledger.Entry) string {
	words := map[string]string{worker.ReviewApproved: "approved", worker.ReviewChanges: "changes requested", worker.ReviewAsked: "asked for"}[e.Is]
	if words == "" {
		words = "none"
	}
	if e.Threads > 0 {
		words += ", " + plain.Plural(int64(e.Threads), "open thread")
	}
	return words
}

// reactionWord says who was told.
func reactionWord(e *ledger.Entry) string {
	switch {
	case e.Kind == worker.Escalated:
		return "given to you"
	case e.Action == worker.ActionNotify:
		return "you were notified"
	}
	return "its agent was told"
}

// reactionText says of what: the parts that the forge named, each of which is told once.
func reactionText(e *ledger.Entry) string {
	text := strings.ReplaceAll(e.Key, "-", " ")
	if len(e.Items) > 0 {
		text += ": " + strings.Join(e.Items[:min(len(e.Items), 6)], ", ")
		if n := len(e.Items) - 6; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
	}
	if e.Message != "" {
		text += " (" + e.Message + ")"
	}
	return text
}

// ledgerWords says what an entry of the ledger tells.
func ledgerWords(e *ledger.Entry) (mark, text string) {
	switch e.Kind {
	case worker.Requested:
		return "▶", e.Task
	case worker.Stepped:
		return "·", strings.TrimSpace(e.Step + " " + strings.Join(e.Files, ", "))
	case worker.Launched:
		if e.Proc != nil {
			return "▶", fmt.Sprintf("process %d", e.Proc.PID)
		}
		return "▶", ""
	case worker.Certificate:
		if e.Exit != nil {
			return "■", fmt.Sprintf("its holder saw it end with %d", *e.Exit)
		}
		return "■", fmt.Sprintf("its holder saw it end by signal %d", e.Signal)
	case worker.Probed:
		return "·", probeWords(e)
	case worker.Messaged:
		from := "you"
		if e.From != "" {
			from = e.From
		}
		return "✉", fmt.Sprintf("%s, %d bytes, from %s", e.Message, e.Bytes, from)
	case worker.Accepted, worker.Unconfirmed, worker.Held:
		return "✉", e.Message
	case worker.Snapshotted, worker.Preserved:
		if e.Changes != nil {
			return "◇", plain.Plural(int64(*e.Changes), "changed file") + ", " + e.Commit[:min(8, len(e.Commit))]
		}
		return "◇", e.Commit
	case worker.Overlapped:
		return "⇄", e.Is + " with " + e.Peer + ": " + strings.Join(e.Files, ", ")
	case worker.Gated:
		return "✓", strings.TrimSpace(e.Is + " " + e.Why)
	case worker.Pulled, worker.Checked, worker.Reviewed:
		return "⎇", strings.TrimSpace(fmt.Sprintf("#%d %s", e.PR, e.Is))
	case worker.KillAsked:
		return "■", strings.ReplaceAll(string(e.Reason), "_", " ")
	case worker.Merged, worker.Synced:
		return "⎇", strings.TrimSpace(e.Branch + " " + e.Commit[:min(8, len(e.Commit))])
	case worker.Reacted, worker.Escalated:
		return "◆", reactionWord(e) + ": " + strings.ReplaceAll(e.Key, "-", " ")
	}
	return "·", e.Why
}

func probeWords(e *ledger.Entry) string {
	word := func(l worker.Life) string {
		if l == worker.LifeUnknown {
			return "not seen"
		}
		return string(l)
	}
	return "process " + word(e.Process) + ", runtime " + word(e.Runtime) + ", holder " + word(e.Holder)
}

// why are the entries that a state follows from, as far as they are found.
func why(m *manager.Member, entries, book []Moment) (list []Moment) {
	for _, ref := range m.Worker.Evidence {
		from := book
		if ref.File == worker.Log {
			from = entries
		}
		i := slices.IndexFunc(from, func(x Moment) bool { return x.Seq == ref.Seq })
		if ref.File != worker.Store && ref.Seq > 0 && i >= 0 {
			list = append(list, from[i])
			continue
		}
		list = append(list, Moment{Mark: "·", Text: describe.Evidence(m, ref)})
	}
	return list
}
