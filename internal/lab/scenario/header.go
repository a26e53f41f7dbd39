package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
)

// header is the part before the blank line. Claims and facts wait in it until the body is read.
type header struct {
	drawn  bool
	origin bool
	claims []pending
	facts  []pending
	seen   []string // keys
}

// pending is a claim or fact whose @ENTRY is not resolved yet.
type pending struct {
	key, text string
	line      int
}

func (s *Scenario) parse(text string, known *recordings) error {
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	if at < 0 {
		return fmt.Errorf("no blank line between header and body")
	}
	var h header
	for i, line := range lines[:at] {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.key(&h, line, i+1); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if s.Why == "" || !h.origin {
		return fmt.Errorf("why and origin are required")
	}
	marks, err := s.body(&h, lines[at:], at, known)
	if err != nil {
		return err
	}
	return s.resolve(&h, marks)
}

func (s *Scenario) key(h *header, line string, number int) error {
	key, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !ok || value == "" {
		return fmt.Errorf("%q is not of the form key: value", line)
	}
	several := false
	switch key {
	case "why":
		s.Why = value
	case "origin":
		h.origin = true
		fields := strings.Fields(value)
		h.drawn = value == "drawn"
		if !h.drawn && (fields[0] != "recorded" || len(fields) < 2) {
			return fmt.Errorf("origin is drawn, or recorded NAME")
		}
		s.Recordings = fields[1:]
	case "after":
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return fmt.Errorf("after: %q is no time", value)
		}
		s.After = d
	case "model":
		if value[0] != '{' || !logfmt.Valid([]byte(value)) {
			return fmt.Errorf("model is no JSON object")
		}
		s.Model = []byte(value)
	case "expect", "never", "allow", "open", "cleared":
		h.claims, several = append(h.claims, pending{key, value, number}), true
	case "observe":
		h.facts, several = append(h.facts, pending{key, value, number}), true
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	if !several && slices.Contains(h.seen, key) {
		return fmt.Errorf("the key %s occurs twice", key)
	}
	h.seen = append(h.seen, key)
	return nil
}

// body makes the log and returns the numbers of named entries.
func (s *Scenario) body(h *header, lines []string, before int, known *recordings) (map[string]int, error) {
	if !h.drawn {
		w := editor{known: known, allowed: s.Recordings, marks: map[string]*logfmt.Entry{}}
		for i, line := range lines {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			if err := w.line(line); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", before+i+1, line, err)
			}
		}
		var err error
		s.Lines, err = w.lines()
		return w.numbers(), err
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "#") && line != "#" && !strings.HasPrefix(line, "# ") {
			return nil, fmt.Errorf("line %d: what is %q?", before+i+1, line)
		}
		if strings.HasPrefix(line, "# ") {
			lines[i] = ""
		}
	}
	d, err := drawn.Draw(nil, strings.Join(lines, "\n"))
	if err != nil {
		return nil, err
	}
	s.Lines = d.Lines
	return d.Marks, nil
}

func (s *Scenario) resolve(h *header, marks map[string]int) error {
	entries := s.Entries()
	if len(entries) == 0 {
		return fmt.Errorf("the log is empty")
	}
	for _, p := range h.claims {
		c, err := readClaim(p, marks, entries)
		if err != nil {
			return fmt.Errorf("line %d: %w", p.line, err)
		}
		list := map[string]*[]Claim{"expect": &s.Expect, "never": &s.Never, "allow": &s.Allow, "open": &s.Open, "cleared": &s.Cleared}[p.key]
		*list = append(*list, c)
	}
	for _, p := range h.facts {
		o, err := readFact(p, marks, entries)
		if err != nil {
			return fmt.Errorf("line %d: %w", p.line, err)
		}
		s.Observe = append(s.Observe, o)
	}
	return nil
}

// readClaim reads TYPE SESSION [@ENTRY] [high] [because REASON].
func readClaim(p pending, marks map[string]int, entries []*logfmt.Entry) (c Claim, err error) {
	text, because, _ := strings.Cut(p.text, " because ")
	c.Because = because
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return c, fmt.Errorf("%s: TYPE SESSION is missing", p.key)
	}
	c.Type, c.Session = fields[0], logfmt.SessionID(fields[1])
	for _, f := range fields[2:] {
		name, isEntry := strings.CutPrefix(f, "@")
		switch {
		case isEntry:
			if c.Entry, err = entryNumber(name, marks, len(entries)); err != nil {
				return c, err
			}
		case f == "high":
			c.High = true
		default:
			return c, fmt.Errorf("what is %q?", f)
		}
	}
	switch {
	case (c.Entry > 0 || c.High) && p.key != "expect":
		return c, fmt.Errorf("only expect says from when, and how sure")
	case (p.key == "allow") != (c.Because != ""):
		return c, fmt.Errorf("allow says because, and no other key does")
	case c.Session == Any && (p.key == "never" || p.key == "allow"), c.Session == Chain:
	case !slices.ContainsFunc(entries, func(e *logfmt.Entry) bool { return e.Session == c.Session }):
		return c, fmt.Errorf("there is no session %q", c.Session)
	}
	return c, nil
}

func readFact(p pending, marks map[string]int, entries []*logfmt.Entry) (o Observation, err error) {
	fields := strings.Fields(p.text)
	if len(fields) == 3 && strings.HasPrefix(fields[2], "@") {
		if o.Entry, err = entryNumber(fields[2][1:], marks, len(entries)); err != nil {
			return o, err
		}
		fields = fields[:2]
	}
	if len(fields) != 2 {
		return o, fmt.Errorf("observe: FACT SUBJECT [@ENTRY]")
	}
	o.Fact, o.Subject = fields[0], fields[1]
	switch o.Fact {
	case "alive", "gone":
		if !slices.ContainsFunc(entries, func(e *logfmt.Entry) bool { return string(e.Session) == o.Subject }) {
			return o, fmt.Errorf("there is no session %q", o.Subject)
		}
	case "missing", "exists", "seen":
	default:
		return o, fmt.Errorf("nobody observes %q", o.Fact)
	}
	return o, nil
}

func entryNumber(name string, marks map[string]int, most int) (int, error) {
	n, err := strconv.Atoi(name)
	if err != nil {
		n = marks[name]
	}
	if n < 1 || n > most {
		return 0, fmt.Errorf("there is no entry @%s", name)
	}
	return n, nil
}
