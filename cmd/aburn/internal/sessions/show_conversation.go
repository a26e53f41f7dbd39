package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/archive/conversation"
	"aburn/archive/story"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/web/excerpt"
)

// The parts of a call that a conversation shows. The page of the session and --raw show all.
var (
	outputShown = excerpt.Limits{Head: 3, Tail: 1, Width: 200}
	patchShown  = excerpt.Limits{Head: 8, Tail: 4, Width: 200}
)

// talk prints what was said in a session.
type talk struct {
	out      *bufio.Writer
	screen   *term.Out // of out: its colours and its width
	markdown bool
	agent    string
	stored   *trace.SessionTrace
	texts    *conversation.Texts
	results  map[int]*trace.ToolResultEvent // the last of each call, by the call's event
	notes    []string                       // what is not shown, and why, each once

	speaker  string // who said the last text
	dividers story.Dividers
}

// conversationPart is how many lines have their texts in memory at once.
const conversationPart = 100

// print prints lines with their texts.
func (t *talk) print(ctx context.Context, lines []story.Line) error {
	for part := range slices.Chunk(lines, conversationPart) {
		var events []int
		for i := range part {
			events = append(events, t.texts.Events(part[i].Event)...)
		}
		if err := t.texts.Read(ctx, events); err != nil {
			return err
		}
		for i := range part {
			t.line(&part[i])
		}
		t.texts.Forget()
		if err := t.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (t *talk) line(l *story.Line) {
	var e *trace.Event
	if l.Event > 0 {
		e = &t.stored.Events[l.Event-1]
	}
	if e != nil && isSilent(e) {
		return
	}
	for _, text := range t.dividers.Before(l) {
		t.rule(text)
	}
	switch b := bodyOf(e).(type) {
	case *trace.UserMessage:
		if story.IsPrompt(e) || e.Copied != "" && b.Machine == "" && e.By == "" {
			t.says("you", term.BoldCyan, l, b.Head)
			return
		}
	case *trace.AgentMessage:
		t.says(t.agent, term.Bold, l, "")
		return
	case *trace.ToolCall:
		state := "no result"
		r := t.results[e.Seq]
		if r != nil {
			state = story.CallState(r)
		}
		t.step(l, units.Join(plain.Line(b.Path), plain.Line(b.Head), state))
		if patched := t.input(l); !patched || l.Failed {
			t.output(l)
		}
		return
	}
	t.step(l, units.Join(plain.Line(l.Path), plain.Line(l.Detail)))
}

// isSilent reports whether an event is no part of what is said: thoughts, and the ends of turns.
func isSilent(e *trace.Event) bool {
	switch b := e.Body.(type) {
	case *trace.AgentMessage:
		return b.Thought
	case *trace.Session:
		return b.Marker == trace.Stopped
	}
	return false
}

func bodyOf(e *trace.Event) trace.Body {
	if e == nil {
		return nil
	}
	return e.Body
}

func (t *talk) rule(text string) {
	t.speaker = ""
	if t.markdown {
		fmt.Fprintf(t.out, "\n*%s*\n", escapeMarkdown(text))
		return
	}
	fmt.Fprintln(t.out, "\n"+t.screen.Paint(term.Dim, plain.Cut("── "+text+" ──", term.TextWidth(t.screen))))
}

// says prints a text of a person or an agent, under a name where the speaker changes.
func (t *talk) says(who string, style term.Style, l *story.Line, head string) {
	text, why := t.text(l.Event)
	if text == "" && why == "" {
		return
	}
	if text == "" && head != "" {
		text, why = plain.Line(head)+" …", why+"; this is its first line"
	}
	if t.speaker != who {
		t.speaker = who
		t.name(who, style, l.Time)
	} else {
		fmt.Fprintln(t.out)
	}
	switch {
	case t.markdown:
		fmt.Fprintln(t.out, text)
	default:
		t.prose(text)
	}
	t.note(why)
}

func (t *talk) name(who string, style term.Style, at time.Time) {
	clock := ""
	if !at.IsZero() {
		clock = at.Local().Format("15:04")
	}
	if t.markdown {
		fmt.Fprintf(t.out, "\n## %s\n\n", units.Join(who, clock))
		return
	}
	fmt.Fprintln(t.out, "\n"+t.screen.Paint(style, who)+" "+t.screen.Paint(term.Dim, clock))
}

// text is the scrubbed text of an event, or why there is none.
func (t *talk) text(event int) (text, why string) {
	c, ok := t.texts.Found(event)
	switch {
	case t.texts.Silent:
		return "", "hooks record no texts"
	case !ok:
		if w, has := contents.Of(t.stored, &t.stored.Events[event-1]); has && w.Digest.Length > 0 {
			return "", "a text of " + plain.Size(w.Digest.Length) + " is left out: aburn show --raw " + strconv.Itoa(event) + " prints it"
		}
		return "", ""
	case c.State == contents.Gone:
		return "", "the file with these texts is gone"
	}
	if why := conversation.WhyNot(c); why != "" {
		return "", why
	}
	return strings.TrimSpace(t.texts.Scrub.Text(string(c.Text))), conversation.Images(&t.stored.Events[event-1], c.Record)
}

// note keeps why something is not shown, to be said once.
func (t *talk) note(why string) {
	if why != "" && !slices.Contains(t.notes, why) {
		t.notes = append(t.notes, why)
	}
}

// prose prints a text of several lines. Lines that are too long for the screen are folded at words.
func (t *talk) prose(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		body := strings.TrimLeft(line, " \t")
		indent := 2 + plain.Width(strings.ReplaceAll(line[:len(line)-len(body)], "\t", "    "))
		if body == "" {
			fmt.Fprintln(t.out)
			continue
		}
		for _, one := range t.screen.Fold(body, indent) {
			fmt.Fprintf(t.out, "%*s%s\n", indent, "", one)
		}
	}
}

// step prints what an agent did, in a line.
func (t *talk) step(l *story.Line, detail string) {
	name := l.Mark + " " + plain.Line(l.Name)
	if t.markdown {
		t.speaker = ""
		if detail != "" {
			detail = " `" + strings.ReplaceAll(detail, "`", "'") + "`"
		}
		fmt.Fprintln(t.out, "\n- "+strings.TrimRight(escapeMarkdown(name)+detail+" "+l.Took, " "))
		return
	}
	if t.speaker != "" {
		fmt.Fprintln(t.out)
	}
	t.speaker = ""
	indent := "  "
	if l.Indent {
		indent += "  "
	}
	took := ""
	if l.Took != "" {
		took = " " + t.screen.Paint(term.Dim, l.Took)
	}
	if detail != "" {
		width := term.TextWidth(t.screen) - plain.Width(indent+name+" "+l.Took) - 1
		detail = " " + plain.Cut(detail, max(width, 20))
	}
	fmt.Fprintln(t.out, indent+t.screen.Paint(l.Style, name)+detail+took)
}

// input prints what a call changes, if its input says so: a patch, or a text that takes the place of another.
func (t *talk) input(l *story.Line) (patched bool) {
	c, ok := t.texts.Found(l.Event)
	if !ok || conversation.WhyNot(c) != "" {
		return false
	}
	for _, b := range t.texts.Scrub.Input(c.Text, patchShown) {
		if b.Patch {
			t.block(&b)
			patched = true
		}
	}
	return patched
}

// output prints the first lines of what a call said.
func (t *talk) output(l *story.Line) {
	for _, n := range t.texts.Events(l.Event)[min(1, len(t.texts.Events(l.Event))):] {
		c, ok := t.texts.Found(n)
		if !ok || conversation.WhyNot(c) != "" || len(c.Text) == 0 {
			continue
		}
		for _, b := range t.texts.Scrub.Code("", c.Text, outputShown) {
			t.block(&b)
		}
	}
}

// blockStyles are the colours of the lines of a patch.
var blockStyles = map[string]term.Style{"add": term.Green, "del": term.Red, "at": term.Cyan, "": term.Dim}

func (t *talk) block(b *excerpt.Block) {
	if t.markdown {
		text := joined(b.Head)
		if b.Fold != "" {
			text += b.Fold + "\n" + joined(b.Tail)
		}
		fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
		fmt.Fprintf(t.out, "\n  %s\n%s  %s\n", fence, indented(text), fence)
		return
	}
	print := func(list []excerpt.Line) {
		for _, l := range list {
			for line := range strings.SplitSeq(strings.TrimRight(l.Text, "\n"), "\n") {
				fmt.Fprintln(t.out, "      "+t.screen.Paint(blockStyles[l.Kind], plain.Cut(line, max(term.TextWidth(t.screen)-6, 20))))
			}
		}
	}
	print(b.Head)
	if b.Fold != "" {
		fmt.Fprintln(t.out, "      "+t.screen.Paint(term.Dim, b.Fold))
	}
	print(b.Tail)
}

func joined(list []excerpt.Line) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(strings.TrimRight(l.Text, "\n") + "\n")
	}
	return b.String()
}

func indented(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// longestRun is the length of the longest run of a character.
func longestRun(text string, of byte) (longest int) {
	run := 0
	for i := range len(text) {
		if text[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// escapeMarkdown is a line in which nothing is markup.
func escapeMarkdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `_`, `\_`, "`", "\\`", `[`, `\[`, `<`, `&lt;`, `#`, `\#`).Replace(text)
}

// turnOf is the index of the prompt that the turn of an event begins with; 0 if there is none.
func turnOf(lines []story.Line, event int) (from int) {
	for i := range lines {
		if lines[i].Event > event {
			break
		}
		if lines[i].Prompt && lines[i].Event != 0 {
			from = i
		}
	}
	return from
}

// printConversation prints what was said in a session: the turn of an event and all after it, or all if at is 0; of that the last limit lines,
// all if limit is 0.
func (v *storyView) printConversation(ctx context.Context, out *term.Out, stored *trace.SessionTrace, dir string, at, limit int,
	markdown bool) (notes []string, err error) {
	w := bufio.NewWriter(out)
	t := &talk{out: w, screen: out, markdown: markdown, agent: agentcli.Of(v.Session.Source).Title, stored: stored,
		results: map[int]*trace.ToolResultEvent{}, texts: conversation.TextsOf(&v.Session, stored, dir)}
	calls := stored.Calls()
	for i := range calls {
		if r := calls[i].Last(); r != nil {
			t.results[calls[i].Event.Seq] = r
		}
	}
	lines := v.Lines()
	if from := turnOf(lines, at); from > 0 {
		t.note(plain.Plural(int64(from), "earlier event is", "earlier events are") + " left out")
		lines = lines[from:]
	}
	if limit > 0 && len(lines) > limit {
		t.note(plain.Plural(int64(len(lines)-limit), "earlier event is", "earlier events are") + " left out")
		lines = lines[len(lines)-limit:]
	}
	head := []string{units.Join(strings.TrimSpace(v.Agent.Name+" "+v.Agent.Version), v.Project.Path),
		"session " + v.Session.Source + "/" + v.ID, v.time(), v.outcome()}
	for i, text := range head {
		switch text = plain.Line(text); {
		case markdown && i == 0:
			fmt.Fprintln(w, "# "+escapeMarkdown(text))
		case markdown:
			fmt.Fprintln(w, "\n"+escapeMarkdown(text))
		default:
			for _, line := range out.Fold(text, 0) {
				fmt.Fprintln(w, out.Paint(term.Dim, line))
			}
		}
	}
	if command := v.continued(); command != "" && !markdown { // who reads the Markdown has no such session
		fmt.Fprintln(w, out.Paint(term.Dim, "continue: "+command)) // in one line, to be copied
	}
	err = errors.Join(t.print(ctx, lines), w.Flush())
	return t.notes, err
}
