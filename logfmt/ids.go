package logfmt

import (
	"crypto/sha256"
	"encoding/hex"
)

// ToolID is the id of a tool event. It depends only on (source, session, agent, event, tool use),
// so that a hook that fires twice makes one event.
func ToolID(source string, s SessionID, agentID string, ev Event, toolUseID string) string {
	b := make([]byte, 0, 256)
	for _, part := range []string{source, string(s), agentID, string(ev), toolUseID} {
		b = append(append(b, part...), 0)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Token returns s as a routing field may hold it. s is unchanged if it is at most max bytes of
// [A-Za-z0-9._:/-]. Otherwise other bytes become '-', and it is cut and ends with ':' and 8 hex
// digits of its hash, so that different names stay different. max is at least 16.
func Token(s string, max int) string {
	if isToken(s) && len(s) <= max {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	b := make([]byte, 0, max)
	for i := 0; i < len(s) && len(b) < max-9; i++ {
		c := s[i]
		if !isTokenByte(c) {
			c = '-'
		}
		b = append(b, c)
	}
	b = append(b, ':')
	return string(hex.AppendEncode(b, sum[:4]))
}

func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isTokenByte(s[i]) {
			return false
		}
	}
	return true
}

func isTokenByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '.' || c == '_' || c == ':' || c == '/' || c == '-'
}
