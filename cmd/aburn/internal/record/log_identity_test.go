package record

import (
	"testing"

	"aburn/internal/recent"
	"aburn/logfmt"
)

func TestCommonAgent(t *testing.T) {
	a, b := &logfmt.Agent{Type: "x", ID: "1", ParentCmd: "build"}, &logfmt.Agent{Type: "x", ID: "2", ParentCmd: "build"}
	for _, c := range []struct {
		name   string
		agents []*logfmt.Agent
		want   *logfmt.Agent
		one    bool
	}{
		{"the session itself", []*logfmt.Agent{nil}, nil, true},
		{"one", []*logfmt.Agent{a}, a, true},
		{"one in two calls", []*logfmt.Agent{a, a}, a, true},
		{"two of one type", []*logfmt.Agent{a, b}, &logfmt.Agent{Type: "x", ParentCmd: "build"}, false},
		{"one and the session itself", []*logfmt.Agent{a, nil}, nil, false},
	} {
		var calls []recent.Call
		for _, agent := range c.agents {
			calls = append(calls, recent.Call{Agent: agent})
		}
		got, one := commonAgent(calls)
		if one != c.one || (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v %v, want %v %v", c.name, got, one, c.want, c.one)
		}
	}
}
