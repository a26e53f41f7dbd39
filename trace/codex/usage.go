package codex

import (
	"strconv"

	"aburn/trace"
)

// pending is what belongs to no answer of the model yet, and what is known of the answers so far.
type pending struct {
	// Since is how many events came before the last answer was billed.
	Since int `json:"since,omitempty"`
	// Billed says that a token_usage_record came: a token_count tells nothing then. Total is what the last one of those added up to.
	Billed bool    `json:"billed,omitempty"`
	Total  *tokens `json:"total,omitempty"`
	// Answers counts those that have no id: a token_count tells none.
	Answers int `json:"answers,omitempty"`
}

// tokens is usage as Codex counts it: input holds what was cached, output the reasoning.
type tokens struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitempty"`
	All        int64 `json:"all"`
}

func (s *session) tokens(raw []byte) tokens {
	p := &s.inner
	p.parse(raw)
	return tokens{p.int("input_tokens"), p.int("cached_input_tokens"), p.int("cache_write_input_tokens"), p.int("output_tokens"),
		p.int("reasoning_output_tokens"), p.int("total_tokens")}
}

// usage counts each token once.
func (t tokens) usage() trace.Usage {
	return trace.Usage{Input: max(t.Input-t.CacheRead-t.CacheWrite, 0), CacheRead: t.CacheRead, CacheWrite: t.CacheWrite,
		Output: t.Output, Reasoning: t.Reasoning}
}

func (t tokens) minus(o tokens) tokens {
	return tokens{t.Input - o.Input, t.CacheRead - o.CacheRead, t.CacheWrite - o.CacheWrite, t.Output - o.Output, t.Reasoning - o.Reasoning, t.All - o.All}
}

// billed takes a token_usage_record: one answer of the model, told once, also if it is the last before the end of the process.
func (s *session) billed(p object) {
	s.Billed = true
	if thread := s.id(p, "thread_id"); thread != "" && thread != s.Thread {
		return
	}
	id, turn := s.id(p, "response_id"), s.id(p, "turn_id")
	if of, ok := s.answers[id]; ok && of != turn {
		id += "/" + turn // another answer, of a provider that numbers those of one connection
	}
	if id == "" {
		id = s.nextAnswer()
	}
	s.answers[id] = turn
	s.answered(id, s.tokens(p.raw("usage")))
}

// answerTurns is the turns of the answers so far, by id.
func answerTurns(t *trace.SessionTrace) map[string]string {
	turns := map[string]string{}
	for i := range t.Responses {
		r := &t.Responses[i]
		turns[r.ID] = ""
		if r.Event > 0 {
			turns[r.ID] = t.Events[r.Event-1].Turn
		}
	}
	return turns
}

// counted takes a token_count, which repeats a total. It is how older clients bill, and says nothing where there are
// token_usage_records. What was forked begins with the total of what it was forked from.
func (s *session) counted(p object) {
	if s.Billed {
		s.brokenOff()
		return
	}
	info := &s.outer
	if info.parse(p.raw("info")); len(*info) == 0 {
		s.brokenOff()
		return
	}
	total, last := s.tokens(info.raw("total_token_usage")), s.tokens(info.raw("last_token_usage"))
	one := last
	before := s.Total
	s.Total = &total
	if before != nil {
		if one = total.minus(*before); one == (tokens{}) {
			return
		}
		if one.All < 0 {
			one = last // counted from 0 again
		}
	} else if !s.working() {
		return
	}
	if one.All <= 0 {
		return
	}
	s.answered(s.nextAnswer(), one)
}

// nextAnswer is an id for an answer that has none.
func (s *session) nextAnswer() string {
	s.Answers++
	return "answer-" + strconv.Itoa(s.Answers)
}

// brokenOff takes a token_count that bills nothing. If the model has done something since its last answer, then that was a
// stream that broke off, and another answer follows.
func (s *session) brokenOff() {
	if s.Paginated && s.working() {
		s.Since = len(s.Trace().Events)
	}
}

// working says whether the model did anything since its last answer was billed.
func (s *session) working() bool {
	for _, e := range s.Trace().Events[s.Since:] {
		if madeByModel(&e) != nil {
			return true
		}
	}
	return false
}

// answered notes an answer of the model. What the model did since the one before came of it.
func (s *session) answered(id string, used tokens) {
	events := s.Trace().Events
	first := 0
	for i := s.Since; i < len(events); i++ {
		response := madeByModel(&events[i])
		if response == nil {
			continue
		}
		*response = id
		if first == 0 {
			first = i + 1
		}
	}
	if first == 0 {
		first = len(events)
	}
	s.Since = len(events)
	s.Response(trace.Response{ID: id, Model: s.Model, Event: first, Time: s.when, Usage: used.usage(), Ref: s.ref()})
}

// madeByModel is where an event of an answer says which answer; nil if the event is of none.
func madeByModel(e *trace.Event) *string {
	if e.Copied != "" || e.By != "" {
		return nil
	}
	switch b := e.Body.(type) {
	case *trace.AgentMessage:
		return &b.Response
	case *trace.ToolCall:
		if b.Parent == "" {
			return &b.Response
		}
	}
	return nil
}
