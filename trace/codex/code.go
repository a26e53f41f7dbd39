package codex

import (
	"slices"
	"strings"

	"aburn/trace"
)

// codePrefix is how the ids of calls begin that code made.
const codePrefix = "exec-"

// maxCode bounds how many calls of code are remembered.
const maxCode = 16

// runsCode notes that a call's code runs from now on: calls that code makes are its.
func (s *session) runsCode(id string) {
	if id == "" {
		return
	}
	s.Code = append(slices.DeleteFunc(s.Code, func(other string) bool { return other == id }), id)
	if len(s.Code) > maxCode {
		s.Code = s.Code[len(s.Code)-maxCode:]
	}
}

// codeEnded notes that a call's code has ended. The last one is kept: a command of its can end after it.
func (s *session) codeEnded(id string, v verdict) {
	if v.status == trace.StatusRunning || len(s.Code) < 2 {
		return
	}
	s.Code = slices.DeleteFunc(s.Code, func(other string) bool { return other == id })
}

// container is the call whose code made the call of this id, "" if none did. It is a Container from then on.
func (s *session) container(id string) string {
	if !strings.HasPrefix(id, codePrefix) || len(s.Code) == 0 {
		return ""
	}
	parent := s.Code[len(s.Code)-1]
	if _, c := s.Lookup(parent); c != nil {
		c.Container = true
	}
	return parent
}

// cellEnded adds to code that yielded what waiting for it told: that it ended.
func (s *session) cellEnded(cell string, r trace.ToolResultEvent) {
	id := s.Cells[cell]
	if id == "" {
		return
	}
	delete(s.Cells, cell)
	r.Call = id
	s.result(s.at(r.Message), r)
}
