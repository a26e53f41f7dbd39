package archive

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"

	"aburn/internal/scrub"
	"aburn/internal/wire"
	"aburn/trace"
	"aburn/trace/packed"
)

// Packed is a trace as the archive writes it: its body, and the rows derived from it.
type Packed struct {
	session   Session
	root      string
	worked    time.Time // its last prompt, answer or call
	closed    time.Time // the end that the trace records, zero without one
	group     string    // the session at the head of its group of sub-agents, if any
	scrub     int
	sum       int64
	body      []byte
	calls     []byte // the row of calls, nil if there are none
	answers   []byte // the row of answers, nil if there are none
	limits    []trace.Limit
	relations []trace.SessionRelationship
	spawns    []spawn
}

// spawn is the start of a sub-agent.
type spawn struct {
	seq                    int
	child, call, agentID   string
	agentType, description string
	open                   bool // neither it nor a result of its call names the sub-agent
}

// Size is about how many bytes p takes in memory.
func (p *Packed) Size() int { return len(p.body) + len(p.calls) + len(p.answers) + 1000 }

// Pack prepares a trace for Write. It refuses a trace that was scrubbed by other rules than this executable's. Any
// goroutine may call it.
func Pack(t *trace.SessionTrace) (*Packed, error) {
	if t.Scrub.Version != scrub.Version {
		return nil, fmt.Errorf("trace %s/%s: scrubbed by version %d of the rules, not %d", t.Source, t.ID,
			t.Scrub.Version, scrub.Version)
	}
	return pack(t)
}

func pack(t *trace.SessionTrace) (*Packed, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	body, err := packed.Append(append((*buf)[:0], make([]byte, checksum)...), t)
	*buf = body
	if err != nil {
		return nil, fmt.Errorf("trace %s/%s: %w", t.Source, t.ID, err)
	}
	binary.LittleEndian.PutUint32(body, castagnoli(body[checksum:]))
	p := &Packed{
		session: Session{
			Source: t.Source, ID: t.ID, Agent: t.Agent, Project: t.Project, Start: t.Start, End: t.End, ActiveMS: t.ActiveMS,
			Stated: t.Outcome, StatedFrom: t.OutcomeFrom, Counts: t.Count(), Usage: t.Usage, Relation: relation(t), Path: t.Sources[0].Path,
		},
		root: t.Lineage.Root, scrub: t.Scrub.Version, sum: sum(body[checksum:]), relations: slices.Clone(t.Relationships), limits: slices.Clone(t.Limits),
		body: slices.Clone(body),
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" {
			continue
		}
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			if p.session.Ask == "" && b.Machine == "" && e.By == "" {
				p.session.Ask = b.Head
			}
		case *trace.SubagentSpawn:
			unnamed := func(r trace.ToolResultEvent) bool { return r.Call == b.Call && r.Spawned != b.Session }
			p.spawns = append(p.spawns, spawn{
				e.Seq, b.Session, b.Call, b.AgentID, b.AgentType, b.Description, b.Session == "" || slices.ContainsFunc(t.Results, unnamed),
			})
		}
	}
	p.worked, p.closed = lastWork(t), recordedEnd(t)
	p.calls, p.answers = packCalls(t), packAnswers(t)
	p.group = agentGroup(p)
	return p, nil
}

// relation returns the first relationship of t that is not root, else root.
func relation(t *trace.SessionTrace) trace.Relation {
	for i := range t.Relationships {
		if kind := t.Relationships[i].Kind; kind != trace.Root {
			return kind
		}
	}
	return trace.Root
}

func packCalls(t *trace.SessionTrace) []byte {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	w := callCoder{wire.Writer((*buf)[:0])}
	for _, c := range t.Calls() {
		if c.Counts() {
			row := callRow(&c)
			w.call(&row)
		}
	}
	rows := w.Written()
	*buf = rows
	if len(rows) == 0 {
		return nil
	}
	return compress(rows)
}

func callRow(c *trace.Call) CallRow {
	row := CallRow{
		Call: c.Call.Call, Tool: c.Call.Tool, Type: c.Call.Type, Index: c.Call.Index, Seq: c.Event.Seq, Start: c.Event.Time,
		Input: cmp.Or(c.Call.Input.Hash, c.Call.Key), Path: c.Call.Path, Head: c.Call.Head, Results: len(c.Results),
	}
	if last := c.Last(); last != nil {
		row.Status, row.Failed, row.Denied, row.ExitCode, row.Length = last.Status, last.Failed(), last.Denied, last.ExitCode, last.Content.Length
		row.DurationMS = last.DurationMS
		if gap := last.Time.Sub(c.Event.Time).Milliseconds(); row.DurationMS == 0 && gap > 0 &&
			last.Status != trace.StatusRunning && !c.Event.Time.IsZero() {
			row.DurationMS, row.Gap = gap, true
		}
	}
	for _, r := range c.Results {
		if r.Spawned != "" {
			row.Spawned = r.Spawned
		}
	}
	return row
}

// buffers hold packed or compressed data until its length is known.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// sum tells one packed trace from another. It is two CRCs, which make 64 bits and have processor instructions. It need
// not resist forgery: whoever can write a store can as well leave it unchanged.
func sum(text []byte) int64 {
	return int64(uint64(crc32.ChecksumIEEE(text))<<32 | uint64(castagnoli(text)))
}

// checksum is the length of the CRC-32C that begins a body, over the packed trace behind it; in a row of calls it
// covers the text before compression.
const checksum = 4

// compress makes a row of calls. S2 takes a fifth of zstd's time and half as many bytes again.
func compress(text []byte) []byte {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	need := checksum + s2.MaxEncodedLen(len(text))
	if cap(*buf) < need {
		*buf = make([]byte, need)
	}
	body := (*buf)[:need]
	binary.LittleEndian.PutUint32(body, castagnoli(text))
	return slices.Clone(body[:checksum+len(s2.Encode(body[checksum:], text))])
}

// unpack returns the trace of a body.
func unpack(body []byte) (*trace.SessionTrace, error) {
	switch {
	case len(body) <= checksum:
		return nil, fmt.Errorf("the body of a trace: %w", errCut)
	case castagnoli(body[checksum:]) != binary.LittleEndian.Uint32(body):
		return nil, fmt.Errorf("the body of a trace: %w", errOther)
	}
	return packed.Parse(body[checksum:])
}

// The errors for damaged data.
var (
	errCut   = errors.New("the data is cut off")
	errOther = errors.New("the data is not what was written")
)

// maxText bounds what was compressed, in bytes.
const maxText = 4 << 30

// expand undoes compress.
func expand(body []byte) ([]byte, error) { return expandInto(nil, body) }

// expandInto is expand into the memory of buf, if that is large enough.
func expandInto(buf, body []byte) ([]byte, error) {
	if len(body) < checksum {
		return nil, errCut
	}
	sum, block := binary.LittleEndian.Uint32(body), body[checksum:]
	if n, err := s2.DecodedLen(block); err != nil || n > maxText {
		return nil, fmt.Errorf("it has %d bytes: %w", n, cmp.Or(err, s2.ErrTooLarge))
	}
	text, err := s2.Decode(buf[:cap(buf)], block)
	if err != nil {
		return nil, err
	}
	if castagnoli(text) != sum {
		return nil, errOther
	}
	return text, nil
}

func castagnoli(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }
