package supervisor

import "time"

// Mode is what a session is doing.
type Mode string

// The modes. Gone is known only from its process, on the same host.
const (
	Working    Mode = "working"
	Permission Mode = "waiting for permission"
	Question   Mode = "waiting for the user"
	Idle       Mode = "idle"
	Ended      Mode = "ended"
	Gone       Mode = "gone"
)

// Mode is what the session is doing at now, and since when.
func (s *Session) Mode(now time.Time, o Observed) (Mode, Mark) { return Idle, s.Last }
