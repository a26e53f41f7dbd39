package export

import (
	"crypto/sha256"
	"strconv"
)

// Node names a session.
type Node struct{ Source, ID string }

// id is the first n bytes of a hash over the parts. OpenTelemetry takes any id but zero.
func id(n int, parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return h.Sum(nil)[:n]
}

func (n Node) traceID() []byte { return id(16, "aburn trace", n.Source, n.ID) }
func (n Node) spanID() []byte  { return id(8, "aburn session", n.Source, n.ID) }

func (n Node) callID(call string) []byte     { return id(8, "aburn call", n.Source, n.ID, call) }
func (n Node) responseID(resp string) []byte { return id(8, "aburn response", n.Source, n.ID, resp) }
