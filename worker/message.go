package worker

import "slices"

// MessageType is the type of a message's task in the queue, and of its DELIVERED.
const MessageType = "message"

// MaxOpen is how many messages may wait for a worker at once.
const MaxOpen = 20

// Receipt says how far a message came.
type Receipt uint8

// The receipts.
const (
	Waiting      Receipt = iota // not sent, or held
	NotConfirmed                // keys were pressed and no record followed; nothing sends it again by itself
	Heard                       // the agent's own record shows it
	Confirmed                   // and the ledger says so
	TakenBack                   // before anybody told it
)

// Message is one message to the agent.
type Message struct {
	ID      string
	Receipt Receipt
	Gen     int    // in which it was heard
	Key     string // of the reaction that it is; "" is none
}

// noteMessage believes `accepted` only of a message that a record of this generation shows, and only once.
func (w *Worker) noteMessage(f *Fact) {
	i := slices.IndexFunc(w.Messages, func(m Message) bool { return m.ID == f.Message })
	switch {
	case f.Message == "":
	case (f.Kind == Messaged || f.Kind == Gated || f.Kind == Reacted) && i < 0:
		w.addMessage(f)
	case i < 0:
	case f.Kind == Unconfirmed && w.Messages[i].Receipt == Waiting:
		w.Messages[i].Receipt = NotConfirmed
	case f.Kind == Withdrawn && w.Messages[i].Receipt == Waiting:
		w.Messages[i].Receipt = TakenBack
		w.takeBack(w.Messages[i].Key)
	case f.Kind == Accepted && w.Messages[i].Receipt == Heard && w.Messages[i].Gen == w.Gen:
		w.Messages[i].Receipt = Confirmed
	}
}

func (w *Worker) addMessage(f *Fact) {
	if len(w.Open()) >= MaxOpen {
		return
	}
	if len(w.Messages) == maxMessages {
		i := slices.IndexFunc(w.Messages, func(m Message) bool { return m.Receipt >= Heard })
		w.Messages = slices.Delete(w.Messages, i, i+1)
	}
	m := Message{ID: f.Message}
	if f.Kind == Reacted && f.Action == ActionSend {
		m.Key = f.Key
	}
	w.Messages = append(w.Messages, m)
}

// hear takes the tag in an agent's record, and reports whether that was news. In another generation the agent may be told
// again, so it may hear again.
func (w *Worker) hear(f *Fact) (news bool) {
	for i := range w.Messages {
		if m := &w.Messages[i]; m.ID == f.Message && m.Receipt < Confirmed {
			news = news || m.Receipt < Heard
			m.Receipt, m.Gen = Heard, w.Gen
		}
	}
	return news
}

// Open are the messages that no record of the agent shows.
func (w *Worker) Open() []Message {
	var open []Message
	for _, m := range w.Messages {
		if m.Receipt < Heard {
			open = append(open, m)
		}
	}
	return open
}

// Delivery is how a message may reach the agent now.
type Delivery uint8

// The ways. Only ByKeys may press a key.
const (
	OnHold    Delivery = iota
	WithStart          // part of the launch
	AtTurnEnd          // handed over by the agent's own Stop hook
	ByKeys             // the agent sits at its prompt
)

// rests reports whether the agent sits at its prompt, or said that it is done; gates then wait for somebody else.
func (w *Worker) rests() bool {
	return w.State == Idle || w.State == Done || w.Reason == Verifying || w.Reason == VerifyFailed
}

// Delivery says which way is open. Nobody types at an agent that may be asking something or that may be gone.
func (w *Worker) Delivery() Delivery {
	switch {
	case w.State == NotStarted:
		return WithStart
	case w.State == Working && w.Reason != Verifying:
		return AtTurnEnd
	case w.rests() && !w.over && !w.Unseen:
		return ByKeys
	}
	return OnHold
}
