package slot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"aburn/internal/scrub"
	"aburn/worker"
)

// Handle names one launch of a worker: the worker's folder and the generation.
type Handle struct {
	Dir string
	Gen int
}

// Message is one message to an agent. ID is of letters, digits and "-", at most 64, and never used for another message.
type Message struct{ ID, Text string }

// Receipt is how far a message came, by the agent's own record.
type Receipt string

// The receipts, in order.
const (
	Unreceived Receipt = ""
	Queued     Receipt = "queued"   // the agent took it, and would forget it if it were killed
	Begun      Receipt = "begun"    // its turn began
	Finished   Receipt = "finished" // its turn is over
)

// Channel brings messages to agents.
type Channel interface {
	// Deliver returns once the agent's own record shows the message, or ctx is done: the message then stays queued, and is
	// delivered by whoever looks at the worker next. The same message again is not delivered twice.
	Deliver(ctx context.Context, h Handle, m Message) (Receipt, error)
}

// Line is one line for an agent that is spoken to in lines. A tag is said once in a generation.
type Line struct {
	Tag  string
	Text []byte
}

// Question is something that the agent may not do, or does not know, without a person.
type Question struct {
	ID    string          `json:"id"`
	Kind  string          `json:"kind"`           // of the protocol
	Call  string          `json:"call,omitempty"` // the agent's id of the call
	What  string          `json:"what"`           // for a person: the tool, and what it would do
	Input json.RawMessage `json:"input,omitempty"`
}

// Event is a fact that the protocol tells.
type Event struct {
	worker.Fact
	Hooked bool `json:"hooked,omitempty"` // hooks tell it too
}

// Talk is what lines in both directions say. Who reads them in order gets the same Talk as anybody else.
type Talk struct {
	Session  string             `json:"session,omitempty"` // the agent's id of it
	Turn     string             `json:"turn,omitempty"`    // that runs, if the agent names turns
	Ready    bool               `json:"ready,omitempty"`   // it takes messages
	Refused  string             `json:"refused,omitempty"` // why it takes none
	Asks     []Question         `json:"asks,omitempty"`    // open ones
	Told     map[string]bool    `json:"told,omitempty"`    // tags that were written to it
	Receipts map[string]Receipt `json:"receipts,omitempty"`
	Had      map[string]bool    `json:"had,omitempty"`    // messages that the resumed conversation has, and whose turn may not be over
	Errors   map[string]string  `json:"errors,omitempty"` // by tag: what it did not take
	Events   []Event            `json:"events,omitempty"` // the latest
	Lines    uint64             `json:"lines"`            // how many were read
	Names    map[string]string  `json:"names,omitempty"`  // the agent's names of messages
	Owed     []Line             `json:"owed,omitempty"`   // answers to requests of the agent's that need no person, with tags
}

// Owe notes an answer that needs no person. Whoever looks next gives it.
func (t *Talk) Owe(l Line) {
	if len(t.Owed) < maxOwed {
		t.Owed = append(t.Owed, l)
	}
}

// maxOwed bounds what an agent can make a Talk keep.
const maxOwed = 64

// AnswerTag is the same for all answers to one question, so that only one is given.
func AnswerTag(q Question) string {
	sum := sha256.Sum256([]byte(q.ID))
	return "ans-" + hex.EncodeToString(sum[:8])
}

// maxEvents is how many events a Talk keeps. Older ones have been taken over by later ones.
const maxEvents = 256

// Add adds an event of the line that is being read.
func (t *Talk) Add(at time.Time, f worker.Fact, hooked bool) {
	f.At = at
	t.Events = append(t.Events, Event{f, hooked})
	if len(t.Events) > 2*maxEvents {
		t.Events = slices.Clone(t.Events[maxEvents:])
	}
}

// Receive notes a receipt; an earlier one never replaces a later one.
func (t *Talk) Receive(id string, r Receipt, at time.Time) {
	if id == "" || !r.after(t.Receipts[id]) {
		return
	}
	if t.Receipts == nil {
		t.Receipts = map[string]Receipt{}
	}
	if r.after(Queued) && !t.Receipts[id].after(Queued) {
		t.Add(at, worker.Fact{Kind: worker.Received, Message: id}, false)
	}
	t.Receipts[id] = r
}

// Have notes that the resumed conversation has a message, whose turn may have been cut off.
func (t *Talk) Have(id string, at time.Time) {
	if id == "" {
		return
	}
	if t.Had == nil {
		t.Had = map[string]bool{}
	}
	t.Had[id] = true
	t.Receive(id, Finished, at)
}

func (r Receipt) after(o Receipt) bool {
	order := []Receipt{Unreceived, Queued, Begun, Finished}
	return slices.Index(order, r) > slices.Index(order, o)
}

// Open adds an open question.
func (t *Talk) Open(a Question, at time.Time) {
	a.What, _ = scrub.Text(a.What) // what is answered is Input
	t.Asks = append(t.Asks, a)
	t.Add(at, worker.Fact{Kind: worker.Asks, Call: a.Call}, false)
}

// Close takes away the question with this id, which was answered or withdrawn.
func (t *Talk) Close(id string, at time.Time) {
	i := slices.IndexFunc(t.Asks, func(a Question) bool { return a.ID == id })
	if i >= 0 {
		t.Add(at, worker.Fact{Kind: worker.Answered, Call: t.Asks[i].Call}, false)
		t.Asks = slices.Delete(t.Asks, i, i+1)
	}
}

// Passage is a piece of a conversation as a person is shown it.
type Passage struct {
	Who  string // person, agent, tool, result, asks, note
	Text string
}

// Protocol is how one speaks in lines to an agent. It keeps nothing: what is known stands in the Talk.
type Protocol interface {
	// Launch is how the agent is started to be spoken to, and what it is told first. resume is the session that goes on, ""
	// for a new one.
	Launch(o Order, resume string) (Launch, []Line)
	// Hear takes a line that the agent printed.
	Hear(t *Talk, at time.Time, line []byte)
	// Tell takes the tag of a line that was written to the agent.
	Tell(t *Talk, tag string)
	// Message is the line that brings m; ok is false while the agent does not take one.
	Message(t *Talk, m Message) (l Line, ok bool)
	// Answer is the line, without a tag, that answers a question. The error says what this question does not take.
	Answer(a Question, allow bool, text string) (Line, error)
	// Interrupt is the line that ends the running turn; ok is false if none is known to run.
	Interrupt(t *Talk, tag string) (l Line, ok bool)
	// Show is what a person sees of a line that the agent printed.
	Show(line []byte) []Passage
}
