package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// parseMessages reads an Anthropic Messages request.
func (r *Request) parseMessages() error {
	var body struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return fmt.Errorf("decode messages request: %w", err)
	}
	if !body.Stream {
		return fmt.Errorf("decode messages request: only streaming is scripted")
	}
	r.Model, r.System = body.Model, plain(body.System)
	for _, m := range body.Messages {
		r.Items = append(r.Items, Item{Role: m.Role, Text: plain(m.Content)})
	}
	for _, t := range body.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	return nil
}

// messages plays the turn as Anthropic events.
func (s *stream) messages() {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("request-id", fmt.Sprintf("req_scripted_%06d", s.request.N))
	s.w.WriteHeader(http.StatusOK)
	usage := s.usage()
	s.send("message_start", map[string]any{"message": map[string]any{
		"id": fmt.Sprintf("msg_scripted_%06d", s.request.N), "type": "message", "role": "assistant", "model": s.request.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": usage.messages(1),
	}})
	blocks := 0
	block := func(start map[string]any, deltas func(delta func(map[string]any))) {
		index := blocks
		blocks++
		s.send("content_block_start", map[string]any{"index": index, "content_block": start})
		deltas(func(d map[string]any) { s.send("content_block_delta", map[string]any{"index": index, "delta": d}) })
		s.send("content_block_stop", map[string]any{"index": index})
	}
	if s.turn.Reasoning != "" {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, func(delta func(map[string]any)) {
			delta(map[string]any{"type": "thinking_delta", "thinking": s.turn.Reasoning})
			delta(map[string]any{"type": "signature_delta", "signature": "scripted"})
		})
	}
	if s.turn.Text != "" {
		block(map[string]any{"type": "text", "text": ""}, func(delta func(map[string]any)) {
			s.pieces(func(p string) { delta(map[string]any{"type": "text_delta", "text": p}) })
		})
	}
	for i, c := range s.turn.Calls {
		start := map[string]any{"type": "tool_use", "id": s.callID("toolu", i), "name": c.Name, "input": map[string]any{}}
		block(start, func(delta func(map[string]any)) {
			delta(map[string]any{"type": "input_json_delta", "partial_json": s.input(c)})
		})
	}
	s.cut()
	stop := "end_turn"
	if len(s.turn.Calls) > 0 {
		stop = "tool_use"
	}
	if s.turn.Stop != "" {
		stop = s.turn.Stop
	}
	s.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": usage.messages(usage.Output),
	})
	s.send("message_stop", map[string]any{})
}

// messages is the usage as Anthropic's Messages API states it: what the cache holds is no part of the input.
func (u Usage) messages(output int) map[string]int {
	m := map[string]int{"input_tokens": u.Input, "output_tokens": output}
	if u.CacheRead > 0 {
		m["cache_read_input_tokens"] = u.CacheRead
	}
	if u.CacheWrite > 0 {
		m["cache_creation_input_tokens"] = u.CacheWrite
	}
	return m
}
