package install

import "fmt"

// Summary is the change of one file in a few words. The diff says the rest.
type Summary struct {
	Added, Removed      int   // lines, as the diff counts them
	Adds, Renews, Takes Parts // what of aburn's comes in, is brought up to date, goes
}

// Parts are things of aburn's in a settings file.
type Parts struct {
	Hooks  int      // events that have one
	Others []string // in words
}

// Summary compares what of aburn's the file holds now with what it holds afterwards.
func (f *FileChange) Summary() (s Summary) {
	for _, l := range f.diff() {
		switch l.Op {
		case '+':
			s.Added++
		case '-':
			s.Removed++
		}
	}
	now, then := f.holds(f.Old), f.holds(f.New)
	for event, call := range then.hooks {
		switch before, there := now.hooks[event]; {
		case !there:
			s.Adds.Hooks++
		case before != call:
			s.Renews.Hooks++
		}
	}
	for event := range now.hooks {
		if then.hooks[event] == "" {
			s.Takes.Hooks++
		}
	}
	line := "a status line"
	if now.wraps || then.wraps {
		line = "a status line around yours"
	}
	s.compare(line, now.status, then.status)
	s.compare("the permission rule "+AllowRule, now.rule, then.rule)
	s.compare("the MCP server", now.server, then.server)
	return s
}

// compare notes what became of a thing of which a file has one at most. "" is none.
func (s *Summary) compare(what, now, then string) {
	switch {
	case now == then:
	case now == "":
		s.Adds.Others = append(s.Adds.Others, what)
	case then == "":
		s.Takes.Others = append(s.Takes.Others, what)
	default:
		s.Renews.Others = append(s.Renews.Others, what)
	}
}

// held is what of aburn's a settings file holds: for each thing a text that differs if the thing does.
type held struct {
	hooks                map[string]string // by event
	status, rule, server string
	wraps                bool // the status line calls the user's own first
}

// holds reads the bytes of a settings file. A file that does not parse, or is not there, holds nothing.
func (f *FileChange) holds(data []byte) held {
	h := held{hooks: map[string]string{}}
	if f.Server {
		if d, err := f.Agent.parse(f.Path, data); err == nil {
			if own := d.root.last("mcpServers").under(ServerName); own != nil && d.isServer(own) {
				h.server = d.str(own.under("command"))
			}
		}
		return h
	}
	s := Settings{Agent: f.Agent, Path: f.Path}
	if s.read(data) != nil {
		return h
	}
	for _, r := range s.Own() {
		h.hooks[r.Event] += r.text()
	}
	if s.Status != nil {
		h.status, h.wraps = s.Status.text(), s.Status.Wrapped
	}
	if f.Agent.rules {
		if d, err := f.Agent.parse(f.Path, data); err == nil && d.allowed() {
			h.rule = AllowRule
		}
	}
	return h
}

// text is all of a registration that an agent acts on.
func (r *Registration) text() string {
	return fmt.Sprintf("%q %q %q %s\n", r.Path, r.Args, r.Shell, r.Timeout)
}
