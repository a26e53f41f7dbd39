package codex

import (
	"slices"
	"strconv"
	"time"

	"aburn/trace"
)

// pending is what belongs to no response yet, and what is known of the responses so far.
type pending struct {
	// Since is the number of events before the last billed response.
	Since int `json:"since,omitempty"`
	// Billed says that a token_usage_record came: then token_counts are ignored. Total is the sum in the last
	// token_count.
	Billed bool    `json:"billed,omitempty"`
	Total  *tokens `json:"total,omitempty"`
	// Answers numbers responses without an id: token_counts have none.
	Answers int `json:"answers,omitempty"`
}

// tokens is usage as Codex counts it: input includes the cached tokens, output the reasoning.
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
	return tokens{p.int("input_tokens"), p.int("cached_input_tokens"), p.int("cache_write_input_tokens"),
		p.int("output_tokens"),
		p.int("reasoning_output_tokens"), p.int("total_tokens")}
}

// usage counts each token once.
func (t tokens) usage() trace.Usage {
	return trace.Usage{Input: max(t.Input-t.CacheRead-t.CacheWrite, 0), CacheRead: t.CacheRead,
		CacheWrite: t.CacheWrite,
		Output:     t.Output, Reasoning: t.Reasoning}
}

func (t tokens) minus(o tokens) tokens {
	return tokens{t.Input - o.Input, t.CacheRead - o.CacheRead, t.CacheWrite - o.CacheWrite, t.Output - o.Output,
		t.Reasoning - o.Reasoning, t.All - o.All}
}

// tokenUsageRecord adds one response, which is billed once, even if it is the last before the process ended.
func (s *session) tokenUsageRecord(p object) {
	s.Billed = true
	if thread := s.id(p, "thread_id"); thread != "" && thread != s.Thread {
		return
	}
	id, turn := s.id(p, "response_id"), s.id(p, "turn_id")
	if of, ok := s.answers[id]; ok && of != turn {
		id += "/" + turn // some providers number responses per connection
	}
	if id == "" {
		id = s.nextAnswer()
	}
	s.answers[id] = turn
	s.addResponse(id, s.tokens(p.raw("usage")))
}

// answerTurns maps the responses so far to their turns, by id.
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

// tokenCount reads a token_count, which repeats a running total. Older clients bill with it; beside
// token_usage_records it bills nothing. A fork begins with the total of its origin.
func (s *session) tokenCount(p object) {
	s.limits(p.object("rate_limits"))
	if s.Billed {
		s.streamBrokeOff()
		return
	}
	info := &s.outer
	if info.parse(p.raw("info")); len(*info) == 0 {
		s.streamBrokeOff()
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
	} else if !s.workedSinceBilled() {
		return
	}
	if one.All <= 0 {
		return
	}
	s.addResponse(s.nextAnswer(), one)
}

// limits notes how much of the plan's windows is used up. Their place, primary or secondary, says nothing: only their
// length does. Older clients say in how many seconds a window ends.
func (s *session) limits(p object) {
	id := s.id(p, "limit_id")
	for _, place := range []string{"primary", "secondary"} {
		w := p.object(place)
		used, err := strconv.ParseFloat(string(w.raw("used_percent")), 64)
		l := trace.Limit{ID: id, WindowMinutes: w.int("window_minutes"), UsedPercent: used, Time: s.when}
		if err != nil || !(used >= 0 && used <= trace.MaxUsedPercent) || l.WindowMinutes <= 0 || l.Time.IsZero() {
			continue
		}
		if at := w.int("resets_at"); at > 0 && at < maxUnix {
			l.Resets = time.Unix(at, 0).UTC()
		} else if in := w.int("resets_in_seconds"); in > 0 && in < 60*l.WindowMinutes+60 {
			l.Resets = s.when.Add(time.Duration(in) * time.Second)
		}
		s.limit(l)
	}
}

// maxUnix is in seconds, and beyond the years that a trace can write.
const maxUnix = 1e11

// limit keeps the newest of each window.
func (s *session) limit(l trace.Limit) {
	t := s.Trace()
	i := slices.IndexFunc(t.Limits, func(o trace.Limit) bool { return o.ID == l.ID && o.WindowMinutes == l.WindowMinutes })
	switch {
	case i < 0 && len(t.Limits) < maxLimits:
		t.Limits = append(t.Limits, l)
	case i >= 0 && !l.Time.Before(t.Limits[i].Time):
		t.Limits[i] = l
	}
}

// maxLimits is far more than a plan has.
const maxLimits = 32

// nextAnswer makes an id for a response that has none.
func (s *session) nextAnswer() string {
	s.Answers++
	return "answer-" + strconv.Itoa(s.Answers)
}

// streamBrokeOff handles a token_count that bills nothing. If the model has worked since its last response, that
// response's stream broke off and another one follows.
func (s *session) streamBrokeOff() {
	if s.Paginated && s.workedSinceBilled() {
		s.Since = len(s.Trace().Events)
	}
}

// workedSinceBilled reports whether the model did anything since its last response was billed.
func (s *session) workedSinceBilled() bool {
	for _, e := range s.Trace().Events[s.Since:] {
		if responseOf(&e) != nil {
			return true
		}
	}
	return false
}

// addResponse adds a response, which covers what the model did since the one before.
func (s *session) addResponse(id string, used tokens) {
	events := s.Trace().Events
	first := 0
	for i := s.Since; i < len(events); i++ {
		response := responseOf(&events[i])
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
	s.Response(trace.Response{ID: id, Model: s.Model, Branch: s.Branch, Event: first, Time: s.when, Usage: used.usage(), Ref: s.ref()})
}

// responseOf returns the field of an event that names its response; nil if the event belongs to none.
func responseOf(e *trace.Event) *string {
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
