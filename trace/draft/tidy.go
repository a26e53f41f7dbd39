package draft

import (
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"aburn/internal/scrub"
	"aburn/trace"
)

// Head returns the beginning of a text as traces keep it: scrubbed, on one line, at most max bytes.
func Head(text string, max int) string { return scrub.Head(text, max) }

// Head is the function Head. It also hides the secrets of the session's earlier texts; Settle hides those of later ones.
func (b *Builder) Head(text string, max int) string { return b.secrets.Head(text, max) }

// Secrets holds the values that were redacted in a session's texts.
type Secrets = scrub.Memory

// Know makes b use s, for a reader that makes heads before it has a Builder.
func (b *Builder) Know(s *Secrets) { b.secrets = s }

// hideSecrets hides in all texts of the trace what one of them gave away.
func (b *Builder) hideSecrets() {
	if b.secrets.Empty() {
		return
	}
	hide := func(texts ...*string) {
		for _, s := range texts {
			*s = b.secrets.Hide(*s)
		}
	}
	hide(&b.t.OutcomeFrom)
	for i := range b.t.Events {
		e := &b.t.Events[i]
		hide(&e.Inferred)
		switch x := e.Body.(type) {
		case *trace.UserMessage:
			hide(&x.Head)
		case *trace.ToolCall:
			hide(&x.Head, &x.Path)
		case *trace.FileChange:
			hide(&x.Path, &x.From)
		case *trace.Error:
			hide(&x.Head)
		case *trace.Interrupt:
			hide(&x.Reason)
		case *trace.SubagentSpawn:
			hide(&x.Description)
		case *trace.Session:
			hide(&x.Detail)
		}
	}
	for i := range b.t.Results {
		hide(&b.t.Results[i].Head)
	}
	for i := range b.t.Relationships {
		hide(&b.t.Relationships[i].Description)
	}
}

// token and word are Token and Word with a cache.
func (b *Builder) token(s string) string { return b.tokens.cached(s, Token) }

func (b *Builder) word(s string) string { return b.words.cached(s, Word) }

// Token returns an id, code or word as traces keep it: on one line, at most trace.MaxToken bytes. A longer one keeps
// its beginning and ends in the hash of the whole; of what looks like a secret only the hash stays. Equal ones stay
// equal and different ones different.
func Token(s string) string { return bounded(hideID(s), trace.MaxToken) }

// SessionID is Token for the id of a session.
func SessionID(s string) string { return bounded(hideID(s), trace.MaxSession) }

// hideID returns s, or a marker and the hash of s if it holds a secret: whoever writes a store can call anything an
// id.
func hideID(s string) string {
	if plainID(s) {
		return s
	}
	if _, n := scrub.Text(s); n > 0 {
		return marker + "id]:" + Digest([]byte(s)).Hash
	}
	return s
}

// The lengths in bytes of the ids that plainID accepts: hex, and a UUID behind a prefix.
const (
	plainHex  = 40
	plainUUID = 36
)

// plainID recognises the ids of which there are millions and in which no rule finds a secret: UUIDs and other short
// hex, and letters and digits of at most 40 bytes behind a client's prefix.
func plainID(s string) bool {
	if isHex(s) {
		return len(s) <= plainHex
	}
	if id, ok := strings.CutPrefix(s, "exec-"); ok {
		return len(id) <= plainUUID && isHex(id)
	}
	rest := s
	for i := strings.IndexByte(rest, '_'); i >= 0; i = strings.IndexByte(rest, '_') {
		switch rest[:i] {
		case "toolu", "msg", "call", "prt", "ses", "req", "resp", "fc", "fco", "ctc", "ctco":
			rest = rest[i+1:]
		default:
			return false
		}
	}
	return len(rest) < len(s) && (len(rest) <= plainUUID && isHex(rest) || len(s) <= plainHex && isPlain(rest))
}

// The classes of bytes in ids, for a table: comparisons would mispredict, because digits and letters come by chance.
const (
	inHex  = 1 << iota // lower-case hex digit, or dash
	inWord             // digit or letter
)

var idBytes = [256]byte{
	'-': inHex,
	'0': inHex | inWord, '1': inHex | inWord, '2': inHex | inWord, '3': inHex | inWord, '4': inHex | inWord,
	'5': inHex | inWord, '6': inHex | inWord, '7': inHex | inWord, '8': inHex | inWord, '9': inHex | inWord,
	'a': inHex | inWord, 'b': inHex | inWord, 'c': inHex | inWord, 'd': inHex | inWord, 'e': inHex | inWord, 'f': inHex | inWord,
	'g': inWord, 'h': inWord, 'i': inWord, 'j': inWord, 'k': inWord, 'l': inWord, 'm': inWord, 'n': inWord, 'o': inWord, 'p': inWord,
	'q': inWord, 'r': inWord, 's': inWord, 't': inWord, 'u': inWord, 'v': inWord, 'w': inWord, 'x': inWord, 'y': inWord, 'z': inWord,
	'A': inWord, 'B': inWord, 'C': inWord, 'D': inWord, 'E': inWord, 'F': inWord, 'G': inWord, 'H': inWord, 'I': inWord, 'J': inWord,
	'K': inWord, 'L': inWord, 'M': inWord, 'N': inWord, 'O': inWord, 'P': inWord, 'Q': inWord, 'R': inWord, 'S': inWord, 'T': inWord,
	'U': inWord, 'V': inWord, 'W': inWord, 'X': inWord, 'Y': inWord, 'Z': inWord,
}

func allIn(s string, class byte) bool {
	for i := range len(s) {
		if idBytes[s[i]]&class == 0 {
			return false
		}
	}
	return true
}

// isHex reports whether s has only lower-case hex digits and dashes.
func isHex(s string) bool { return allIn(s, inHex) }

// isPlain reports whether s has only letters and digits, and none of the prefixes of tokens that scrubbing finds
// within words too: SK of Twilio, GR of GitLab.
func isPlain(s string) bool {
	return allIn(s, inWord) && !strings.Contains(s, "SK") && !strings.Contains(s, "GR")
}

// words caches Word for recurring texts: names of tools and models, versions, outcomes.
var words struct {
	known sync.Map // from string to string
	n     atomic.Int32
}

// The bounds of words: their number, and the length of one in bytes.
const (
	maxWords      = 1000
	maxWordLength = 64
)

// Word is Token for what a person or a model may have made up: it scrubs.
func Word(s string) string {
	if s == "" {
		return ""
	}
	if known, ok := words.known.Load(s); ok {
		return known.(string)
	}
	clean, _ := scrub.Text(s)
	clean = bounded(clean, trace.MaxToken)
	if len(s) <= maxWordLength && words.n.Load() < maxWords {
		words.n.Add(1)
		words.known.Store(s, clean)
	}
	return clean
}

// Path returns a path as traces keep it: scrubbed, and relative to dir if it lies below it.
func Path(path, dir string) string {
	if path == "" {
		return ""
	}
	if dir != "" {
		if rel, ok := strings.CutPrefix(path, filepath.Clean(dir)+"/"); ok {
			path = rel
		}
	}
	path, _ = scrub.Text(path)
	return bounded(path, trace.MaxPath)
}

func bounded(s string, most int) string {
	if len(s) <= most && trace.OneLine(s) {
		return s
	}
	end := ":" + Digest([]byte(s)).Hash
	line := strings.Map(func(r rune) rune {
		if trace.OneLine(string(r)) {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(s, "-"))
	cut := min(len(line), most-len(end))
	for cut > 0 && cut < len(line) && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + end
}

// tidy brings an event into the bounds of a trace.
func (b *Builder) tidy(e *trace.Event) {
	e.Time = normalTime(e.Time)
	e.Record, e.Turn = b.token(e.Record), b.token(e.Turn)
	e.Ref.Key = SessionID(e.Ref.Key)
	switch x := e.Body.(type) {
	case *trace.UserMessage:
		x.Command = b.word(x.Command)
	case *trace.AgentMessage:
		x.Response = b.token(x.Response)
	case *trace.ToolCall:
		b.tidyCall(x)
	case *trace.ToolResult:
		x.Call = b.token(x.Call)
	case *trace.FileChange:
		x.Call = b.token(x.Call)
		x.Added, x.Removed = lineCount(x.Added), lineCount(x.Removed)
	case *trace.Error:
		x.Code = b.word(x.Code)
		if x.Status < 100 || x.Status > 599 {
			x.Status = 0
		}
	case *trace.Interrupt:
		x.Call, x.Reason = b.token(x.Call), b.word(x.Reason)
	case *trace.SubagentSpawn:
		x.Session, x.Call = SessionID(x.Session), b.token(x.Call)
		x.AgentID, x.AgentType = b.token(x.AgentID), b.word(x.AgentType)
	case *trace.Session:
		x.Detail, x.Model = b.word(x.Detail), b.word(x.Model)
		x.Command, x.Phase = b.word(x.Command), b.word(x.Phase)
	}
}

func (b *Builder) tidyCall(c *trace.ToolCall) {
	if c.Tool == "" {
		c.Tool, c.Type = "unknown", trace.OtherTool
	}
	c.Call, c.Tool = b.token(c.Call), b.word(c.Tool)
	c.Parent, c.Response = b.token(c.Parent), b.token(c.Response)
}

// A source means no larger numbers: tokens of one response, lines of one change, milliseconds of one call (ten years),
// dollars of one response. Sums stay far below what an int64 holds.
const (
	maxTokens   = 1 << 36
	maxLines    = 1 << 30
	maxDuration = 10 * 366 * 24 * 3600 * 1000
	maxCost     = 1e6
)

// lineCount returns n, or nil if it cannot be a number of lines.
func lineCount(n *int) *int {
	if n != nil && (*n < 0 || *n > maxLines) {
		return nil
	}
	return n
}

func (b *Builder) tidyResult(r *trace.ToolResultEvent) {
	r.Time = normalTime(r.Time)
	r.Call, r.Message, r.AgentID = b.token(r.Call), b.token(r.Message), b.token(r.AgentID)
	r.Spawned = SessionID(r.Spawned)
	if c := r.ExitCode; c != nil && (*c < math.MinInt32 || *c > math.MaxUint32) {
		r.ExitCode = nil
	}
	if r.DurationMS < 0 || r.DurationMS > maxDuration {
		r.DurationMS = 0
	}
}

func (b *Builder) tidyResponse(r *trace.Response) {
	r.Time = normalTime(r.Time)
	r.ID, r.Model, r.Stop = b.token(r.ID), b.word(r.Model), b.word(r.Stop)
	r.Tier, r.Geo, r.Branch = b.word(r.Tier), b.word(r.Geo), b.word(r.Branch)
	r.Ref.Key = SessionID(r.Ref.Key)
	u := &r.Usage
	for _, n := range []*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output, &u.Reasoning,
		&u.Searches} {
		if *n < 0 || *n > maxTokens {
			*n = 0
		}
	}
	if u.CacheWrite5m+u.CacheWrite1h > u.CacheWrite {
		u.CacheWrite5m, u.CacheWrite1h = 0, 0
	}
	if !(u.CostUSD > 0 && u.CostUSD <= maxCost) { // false for NaN, too
		u.CostUSD = 0
	}
}

func (b *Builder) tidyRelation(r *trace.SessionRelationship) {
	r.Time = normalTime(r.Time)
	r.Related, r.SourceSession = SessionID(r.Related), SessionID(r.SourceSession)
	r.SourceVersion, r.ParentCall = b.word(r.SourceVersion), b.token(r.ParentCall)
	r.AgentID, r.AgentType = b.token(r.AgentID), b.word(r.AgentType)
}
