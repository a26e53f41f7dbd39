package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// parseResponses reads an OpenAI Responses request.
func (r *Request) parseResponses() error {
	var body struct {
		Model        string            `json:"model"`
		Instructions string            `json:"instructions"`
		Input        []json.RawMessage `json:"input"`
		Tools        []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return fmt.Errorf("decode responses request: %w", err)
	}
	r.Model, r.System = body.Model, body.Instructions
	for _, raw := range body.Input {
		var item struct {
			Role string `json:"role"`
		}
		json.Unmarshal(raw, &item) // an item without a role is a call or its output
		r.Items = append(r.Items, Item{Role: item.Role, Text: plain(raw)})
	}
	for _, t := range body.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	return nil
}

// responses plays the turn as OpenAI events.
func (s *stream) responses() {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.WriteHeader(http.StatusOK)
	id := fmt.Sprintf("resp_%04d", s.request.N)
	items := []any{}
	add := func(item map[string]any) {
		s.send("response.output_item.added", map[string]any{"output_index": len(items), "item": item})
	}
	done := func(item map[string]any) {
		s.send("response.output_item.done", map[string]any{"output_index": len(items), "item": item})
		items = append(items, item)
	}
	response := func(status string) map[string]any {
		return map[string]any{"id": id, "object": "response", "model": s.request.Model, "status": status, "output": items}
	}
	s.send("response.created", map[string]any{"response": response("in_progress")})
	if s.turn.Reasoning != "" {
		s.reasoning(id, len(items), add, done)
	}
	if s.turn.Text != "" {
		s.message(id, len(items), add, done)
	}
	for i, c := range s.turn.Calls {
		item := s.call(i, c)
		add(item)
		done(item)
	}
	s.cut()
	completed, usage := response("completed"), s.usage()
	completed["usage"] = map[string]any{
		"input_tokens": usage.Input, "input_tokens_details": map[string]int{"cached_tokens": 0},
		"output_tokens": usage.Output, "output_tokens_details": map[string]int{"reasoning_tokens": 0},
		"total_tokens": usage.Input + usage.Output,
	}
	s.send("response.completed", map[string]any{"response": completed})
}

func (s *stream) reasoning(response string, index int, add, done func(map[string]any)) {
	id := "rs_" + response
	add(map[string]any{"type": "reasoning", "id": id, "summary": []any{}})
	s.send("response.reasoning_summary_part.added", map[string]any{"output_index": index, "item_id": id, "summary_index": 0,
		"part": map[string]any{"type": "summary_text", "text": ""}})
	s.send("response.reasoning_summary_text.delta", map[string]any{"output_index": index, "item_id": id, "summary_index": 0,
		"delta": s.turn.Reasoning})
	done(map[string]any{"type": "reasoning", "id": id, "encrypted_content": nil,
		"summary": []any{map[string]any{"type": "summary_text", "text": s.turn.Reasoning}}})
}

func (s *stream) message(response string, index int, add, done func(map[string]any)) {
	id := "msg_" + response
	add(map[string]any{"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []any{}})
	s.pieces(func(p string) {
		s.send("response.output_text.delta", map[string]any{"output_index": index, "content_index": 0, "item_id": id, "delta": p})
	})
	done(map[string]any{"type": "message", "id": id, "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": s.turn.Text, "annotations": []any{}}}})
}

func (s *stream) call(i int, c Call) map[string]any {
	id := s.callID("call", i)
	item := map[string]any{"call_id": id, "name": c.Name, "status": "completed"}
	if c.Freeform {
		item["type"], item["id"], item["input"] = "custom_tool_call", "ctc_"+id, s.input(c)
		return item
	}
	if c.Search {
		return map[string]any{"type": "tool_search_call", "id": "tsc_" + id, "call_id": id, "status": "completed", "execution": "client",
			"arguments": json.RawMessage(s.input(c))}
	}
	item["type"], item["id"], item["arguments"] = "function_call", "fc_"+id, s.input(c)
	if c.Namespace != "" {
		item["namespace"] = c.Namespace
	}
	return item
}
