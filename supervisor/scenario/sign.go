package scenario

import (
	"strconv"
	"strings"

	"aburn/logfmt"

	"github.com/tidwall/gjson"
)

// Sign gives an entry of the supervisor the signature that "$TYPE" in it stands for; find tells that of the engine's issue of
// a type and session as of now, "" if it has raised none. Other entries come back as they are.
func Sign(e *logfmt.Entry, find func(typ string, session logfmt.SessionID) string) *logfmt.Entry {
	typ, ok := strings.CutPrefix(gjson.GetBytes(e.Data, "signature").Str, "$")
	if e.Cmd != logfmt.SupervisorCmd || !ok {
		return e
	}
	signature := find(typ, e.Session)
	if signature == "" {
		return e
	}
	signed := *e
	signed.Data = member(e.Data, "signature", strconv.Quote(signature))
	return &signed
}
