package look

import (
	"errors"

	"aburn/internal/journal"
	"aburn/supervisor"
)

var errTODO = errors.New("look: not written yet")

// folded is the log up to a position.
type folded struct {
	state *supervisor.State
	at    journal.Position
}
