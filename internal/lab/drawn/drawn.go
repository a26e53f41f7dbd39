// Package drawn turns a log drawn in one line into the entries that it stands for, so that a test shows a story at a
// glance; only tests import it.
//
// A drawing is words with blanks between them; // hides the rest of a line. What stands between single quotes may hold
// blanks. Most words are one entry, one second after the one before; others change what follows. The life of commands:
//
//	plan>            START of plan
//	plan.            COMPLETE; plan! FAILED; plan* MILESTONE
//	build:RED>       PHASE_START of RED in build; build:RED. PHASE_COMPLETE; build:RED! the phase failed
//	plan.'text'{slices=2}[a.md,b.md]->build   with text, metrics, outputs and the next suggested command, each if wanted
//	tester~plan.     of the sub-agent tester (tester-1); tester2~plan. of the second of this type
//	$plan.           as another tool writes it: only ts, cmd, phase, event, data, agent
//
// Hooks write (everything of the command and phase that are active in the session and agent):
//
//	PROMPT 'text'    a person's, also without text; PROMPT&'text' machine-made; PROMPT/build'text' with the COMMAND build
//	PROMPT&a'failed' reports the end of the call a in the background; its status is completed if not said
//	STOP INTERRUPT TURN_FAILED'rate_limit' SESSION_START'startup' SESSION_END'clear' NOTIFY'idle_prompt' UNREADABLE
//	TURN_FAILED'server_error: text'  with the client's code and text; tester~TURN_FAILED of the sub-agent tester
//	COMPACT'auto'    before and after; with < only before
//	PERMISSION       about the last call still open; PERMISSION'Bash:git push' about this one
//	(tester          AGENT_SPAWN; (tester& in the background; tester2 is the second of this type
//	tester)          AGENT_COMPLETE; tester)'failed' with this status
//	STOP'tests,build' whose last message claims this; WORKER_DONE'text' is aburn's own
//	CWD_CHANGED      any other word in capitals: an entry of this event that says nothing
//
// (Without a blank: PROMPT'text'.) Tool calls are a tool and, in quotes, the shell command, the file or the task:
//
//	Bash'go test'    TOOL_START and TOOL; a shell's has exit code 0
//	Bash'go test'!1  ends as TOOL_FAILED with exit code 1; ! without one; !int interrupted; !no is TOOL_DENIED
//	Bash'go test'?   unknown outcome; & in the background: it still runs
//	Bash'go test'<   only the start; Bash'go test'<a names it a, and then
//	^a  ^a!1  ^a(5m) is its end, with the marks of ends
//	Bash'serve'&a    in the background under a name, see PROMPT&a
//	tester~Read'x'   of the sub-agent tester
//	Edit'a.go'=v1    with the content v1 after it: equal names are equal hashes
//	Bash'curl x'@11  that answered 11; calls that do not say it, and are alike, answered alike; @- is not known
//	Bash'go test'#2  with another input than without #2, though it looks the same
//	Bash'go test'(5m) that took so long
//	t  t*500         an old shorthand: a call's end without its start, of no command; 500 of them
//
// The supervisor writes, about the session as it stands:
//
//	INTERVENTION'T1 loop sig'   task, type, signature (without it, the type and session); notify'loop sig' has no task
//	DELIVERED'T1' SEEN'T1' RESOLVED'T1'; DELIVERED'T1 in_turn' after a tool call
//
// What is no entry:
//
//	@A               what follows is of session A (@ alone: of none)
//	codex  claude    the client of the session, from here on; claude if not said
//	proc=12  proc=12@h  the session's next entry says that its process has the number 12 (on the host h, else "here")
//	/feature         what follows is made in the worktree feature (/ alone: in the main one)
//	%main            what follows is made on the branch main (% alone: none is known)
//	+5m  -1h         so much time passes; the clock is set back
//	twice            the entry before was recorded once more, with the same id
//	[here]           is the name of the entry before, see Drawing.Marks
//	{ … }*5          what stands between is drawn 5 times
//	#                a line that is no entry
//
// Entries are numbered from 1. A word that means nothing is an error (of Draw) or a panic (of the others): a test with a
// wrong drawing proves nothing.
package drawn

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
)

// Epoch is the time of every drawing's first entry.
var Epoch = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// Line is one line of a drawn log: an entry or other text.
type Line struct {
	Entry *logfmt.Entry // nil: Junk
	Junk  string
	Other bool // another tool's entry: without id, number and crc
}

// Append appends the line as a log has it.
func (l Line) Append(dst []byte) ([]byte, error) {
	switch {
	case l.Entry == nil:
		return append(dst, l.Junk+"\n"...), nil
	case l.Other:
		return appendOther(dst, l.Entry), nil
	}
	return l.Entry.AppendTo(dst)
}

type Drawing struct {
	Lines []Line
	End   time.Time      // one second after the last entry
	Marks map[string]int // numbers of the named entries; the first entry is 1
}

// Draw draws what happens after the given entries, or from the Epoch if after is nil. The drawing
// has only the new lines, and continues the numbers.
func Draw(after []*logfmt.Entry, drawing string) (*Drawing, error) {
	p := newPen(after)
	words, err := split(drawing)
	for i := 0; i < len(words) && err == nil; i++ {
		if err = p.word(words[i]); err == nil {
			err = p.err
		}
	}
	if err != nil {
		return nil, err
	}
	return &Drawing{Lines: p.lines, End: p.at, Marks: p.marks}, nil
}

// Bytes returns the drawing as the bytes of a log.
func (d *Drawing) Bytes() ([]byte, error) {
	out := []byte(logfmt.FirstLine)
	for _, l := range d.Lines {
		var err error
		if out, err = l.Append(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Lines draws the log and returns its end: one second after the last entry.
func Lines(drawing string) ([]Line, time.Time) {
	d, err := Draw(nil, drawing)
	if err != nil {
		panic("drawn: " + err.Error())
	}
	return d.Lines, d.End
}

// Entries is Lines without lines that are no entries.
func Entries(drawing string) ([]*logfmt.Entry, time.Time) {
	lines, end := Lines(drawing)
	var entries []*logfmt.Entry
	for _, l := range lines {
		if l.Entry != nil {
			entries = append(entries, l.Entry)
		}
	}
	return entries, end
}

// Log returns the drawing as the bytes of a log, and its end.
func Log(drawing string) ([]byte, time.Time) {
	lines, end := Lines(drawing)
	d := Drawing{Lines: lines}
	out, err := d.Bytes()
	if err != nil {
		panic("drawn: " + err.Error())
	}
	return out, end
}

// split takes a drawing apart into words, and draws what is in braces as often as it says.
func split(drawing string) ([]string, error) {
	var words []string
	var open []int // places in words where a brace opened
	for rest := drawing; ; {
		word, more, err := nextWord(rest)
		if err != nil {
			return nil, err
		}
		if word == "" {
			break
		}
		rest = more
		times, closes := strings.CutPrefix(word, "}*")
		switch {
		case word == "{":
			open = append(open, len(words))
		case !closes:
			words = append(words, word)
		case len(open) == 0:
			return nil, fmt.Errorf("%s closes nothing", word)
		default:
			n, err := strconv.Atoi(times)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("what is %q?", word)
			}
			at := open[len(open)-1]
			open = open[:len(open)-1]
			group := append([]string(nil), words[at:]...)
			words = words[:at]
			for range n {
				words = append(words, group...)
			}
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("a { is never closed")
	}
	return words, nil
}

// nextWord is the first word of s and what follows it.
func nextWord(s string) (word, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t\n\r")
		if !strings.HasPrefix(s, "//") {
			break
		}
		_, s, _ = strings.Cut(s, "\n")
	}
	quoted := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'':
			quoted = !quoted
		case ' ', '\t', '\n', '\r':
			if !quoted {
				return s[:i], s[i:], nil
			}
		}
	}
	if quoted {
		return "", "", fmt.Errorf("a quote is never closed: %.40s", s)
	}
	return s, "", nil
}

// quote takes 'text' off the beginning of s.
func quote(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, "'") {
		return "", s, false
	}
	return strings.Cut(s[1:], "'")
}

// marks is what stands behind a tool call.
type marks struct {
	end     byte   // '<' none yet, '!' failed, '?' unknown, '&' runs on; 0 well
	arg     string // of '!'
	name    string // of '<' and '&'
	content string
	salt    string
	answer  string // "" is the same for each call that ends so, "-" not known
	took    time.Duration
}

// readMarks reads them in any order, each at most once.
func readMarks(s string) (m marks, ok bool) {
	for s != "" {
		sign := s[0]
		arg, rest := s[1:], ""
		if i := strings.IndexAny(arg, "<!?&=#(@"); i >= 0 && sign != '(' {
			arg, rest = arg[:i], arg[i:]
		}
		switch sign {
		case '<', '!', '?', '&':
			if m.end != 0 {
				return m, false
			}
			m.end = sign
			switch {
			case sign == '<', sign == '&':
				m.name = arg
			case sign == '!':
				m.arg = arg
			case arg != "":
				return m, false
			}
		case '=':
			m.content = arg
		case '#':
			m.salt = arg
		case '@':
			m.answer = arg
		case '(':
			var closed bool
			if arg, rest, closed = strings.Cut(arg, ")"); !closed {
				return m, false
			}
			d, err := time.ParseDuration(arg)
			if err != nil {
				return m, false
			}
			m.took = d
		default:
			return m, false
		}
		s = rest
	}
	return m, true
}
