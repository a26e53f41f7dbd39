package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// stream writes one turn as server-sent events; messages and responses differ in the events only.
type stream struct {
	w       http.ResponseWriter
	ctx     context.Context
	request *Request
	turn    Turn
	events  int
}

// send writes one event and flushes it, so that a client sees a slow answer as slow.
func (s *stream) send(event string, data map[string]any) {
	data["type"] = event
	if s.request.Protocol == Responses {
		data["sequence_number"] = s.events
	}
	s.events++
	payload, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("scripted model: encode %s: %v", event, err)) // a script holds what JSON cannot
	}
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", event, payload)
	s.w.(http.Flusher).Flush()
}

// pieces cuts the turn's text where a model would pause.
func (s *stream) pieces(send func(piece string)) {
	for _, piece := range strings.SplitAfter(s.turn.Text, " ") {
		if piece == "" {
			continue
		}
		send(piece)
		s.pause()
	}
}

func (s *stream) pause() {
	if s.turn.ChunkDelay <= 0 {
		return
	}
	select {
	case <-time.After(s.turn.ChunkDelay):
	case <-s.ctx.Done():
	}
}

// cut drops the connection without an end; net/http knows this panic.
func (s *stream) cut() {
	if s.turn.Cut {
		panic(http.ErrAbortHandler)
	}
}

func (s *stream) usage() Usage {
	u := s.turn.Usage
	if u.Input == 0 {
		u.Input = 100
	}
	if u.Output == 0 {
		u.Output = 20
	}
	return u
}

// callID is the call's id on the wire.
func (s *stream) callID(prefix string, i int) string {
	if id := s.turn.Calls[i].ID; id != "" {
		return id
	}
	if s.request.ordinal > 0 {
		prefix = fmt.Sprintf("%s_%d", prefix, s.request.ordinal)
	}
	return fmt.Sprintf("%s_%s_%d_%d", prefix, s.request.Conversation, s.request.Turn, i)
}

// input is the call's input as text: JSON, or a string as it stands.
func (s *stream) input(c Call) string {
	input := c.Input
	if c.InputFor != nil {
		input = c.InputFor(s.request)
	}
	switch input := input.(type) {
	case nil:
		return "{}"
	case string:
		return input
	}
	text, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("scripted model: input of %s: %v", c.Name, err))
	}
	return string(text)
}
