package state

import (
	"errors"
	"strconv"

	"aburn/supervisor/limits"
	"aburn/workflow"
)

// ErrState says that bytes are no State of this version, model and limits.
var ErrState = errors.New("not a state of this version, model and limits")

// stateVersion changes with everything that codec_state.go says, and with what the
// fold makes of an entry.
const stateVersion = 1

// AppendJSON appends the State as one JSON object. Two States are the same if and
// only if these bytes are.
func (s *State) AppendJSON(dst []byte) []byte {
	c := writer(dst)
	s.document(c)
	return c.out
}

// Load reads what AppendJSON wrote; the State keeps the data. ErrState means: fold
// again.
func Load(data []byte, model *workflow.Model, l *limits.Limits) (*State, error) {
	s := New(model, l)
	c := reader(data)
	s.document(c)
	if c.broken || c.i != len(data) {
		return nil, ErrState
	}
	return s, nil
}

// document is the State with what tells whether it is of use.
func (s *State) document(c *codec) {
	c.begin('{')
	version, model := int64(stateVersion), s.basis()
	if c.reading {
		version, model = 0, ""
	}
	c.int64("version", &version)
	c.str("model", &model)
	if version != stateVersion || model != s.basis() {
		c.broken = true
		return
	}
	s.state(c)
	s.fold.ids(c)
	c.end('}')
}

// basis is what the facts depend on besides the entries: the model, and the one
// limit that the fold asks for.
func (s *State) basis() string {
	if s.fold.basis == "" {
		s.fold.basis = s.model.Hash() + "-" + strconv.Itoa(s.limits.ToolFailureRunFailures)
	}
	return s.fold.basis
}

// ids are the ids of the newest entries.
func (f *folder) ids(c *codec) {
	if !c.key("seen") {
		c.broken = true
		return
	}
	if !c.reading {
		c.out = append(f.seen.AppendText(append(c.out, '"')), '"')
		return
	}
	text, plain := c.quoted()
	c.broken = c.broken || !plain || !f.seen.RestoreText(text)
}
