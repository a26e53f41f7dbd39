package supervisor

import (
	"errors"

	"aburn/workflow"
)

// ErrState says that bytes are no State of this version and model.
var ErrState = errors.New("not a state of this version and model")

// AppendJSON appends the State as one JSON object.
func (s *State) AppendJSON(dst []byte) []byte { return append(dst, "{}"...) }

// Load reads what AppendJSON wrote. ErrState means: fold again.
func Load(data []byte, model *workflow.Model) (*State, error) { return nil, ErrState }
