package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// The two protocols here send an answer in a piece or two, without names of events.

// parseChat reads an OpenAI chat completions request.
func (r *Request) parseChat() error {
	var body struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return fmt.Errorf("decode chat request: %w", err)
	}
	r.Model, r.whole = body.Model, !body.Stream
	for _, m := range body.Messages {
		if m.Role == "system" {
			r.System += plain(m.Content)
			continue
		}
		r.Items = append(r.Items, Item{Role: m.Role, Text: plain(m.Content)})
	}
	for _, t := range body.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	return nil
}

// parseGenerate reads a generateContent request, streamed or not as its path says.
func (r *Request) parseGenerate() error {
	var body struct {
		System   json.RawMessage `json:"systemInstruction"`
		Contents []struct {
			Role  string          `json:"role"`
			Parts json.RawMessage `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return fmt.Errorf("decode generate request: %w", err)
	}
	_, name, _ := strings.Cut(r.Path, "/models/")
	r.Model, _, _ = strings.Cut(name, ":")
	r.System, r.whole = plain(body.System), !strings.Contains(r.Path, ":streamGenerateContent")
	for _, c := range body.Contents {
		role := c.Role
		if role == "model" {
			role = "assistant"
		}
		r.Items = append(r.Items, Item{Role: role, Text: plain(c.Parts)})
	}
	for _, t := range body.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	return nil
}

// piece writes one piece of an answer: an event without a name, or the whole body.
func (s *stream) piece(data any) {
	payload, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("scripted model: %v", err)) // a script holds what JSON cannot
	}
	if s.request.whole {
		s.w.Write(payload)
		return
	}
	fmt.Fprintf(s.w, "data: %s\n\n", payload)
	s.w.(http.Flusher).Flush()
}

func (s *stream) open() {
	kind := "text/event-stream"
	if s.request.whole {
		kind = "application/json"
	}
	s.w.Header().Set("Content-Type", kind)
	s.w.WriteHeader(http.StatusOK)
}

// chat plays the turn as chat completions.
func (s *stream) chat() {
	s.open()
	usage := s.usage()
	tokens := map[string]int{"prompt_tokens": usage.Input, "completion_tokens": usage.Output, "total_tokens": usage.Input + usage.Output}
	message := map[string]any{"role": "assistant", "content": s.turn.Text}
	var calls []any
	for i, c := range s.turn.Calls {
		calls = append(calls, map[string]any{
			"index": i, "id": s.callID("call", i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": s.input(c)},
		})
	}
	reason := "stop"
	if len(calls) > 0 {
		message["tool_calls"], reason = calls, "tool_calls"
	}
	answer := func(object, key string, content map[string]any, reason any, choices bool) map[string]any {
		a := map[string]any{
			"id": fmt.Sprintf("chat_scripted_%06d", s.request.N), "object": object, "created": s.request.Time.Unix(), "model": s.request.Model, "choices": []any{},
		}
		if choices {
			a["choices"] = []any{map[string]any{"index": 0, key: content, "finish_reason": reason}}
		}
		return a
	}
	if s.request.whole {
		a := answer("chat.completion", "message", message, reason, true)
		a["usage"] = tokens
		s.piece(a)
		return
	}
	s.piece(answer("chat.completion.chunk", "delta", message, nil, true))
	s.cut()
	s.piece(answer("chat.completion.chunk", "delta", map[string]any{}, reason, true))
	last := answer("chat.completion.chunk", "", nil, nil, false)
	last["usage"] = tokens
	s.piece(last)
	fmt.Fprint(s.w, "data: [DONE]\n\n")
}

// generate plays the turn as a generateContent answer.
func (s *stream) generate() {
	s.open()
	usage := s.usage()
	var parts []any
	if s.turn.Text != "" || len(s.turn.Calls) == 0 {
		parts = append(parts, map[string]any{"text": s.turn.Text})
	}
	for _, c := range s.turn.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.Name, "args": json.RawMessage(s.input(c))}})
	}
	s.piece(map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": map[string]int{"promptTokenCount": usage.Input, "candidatesTokenCount": usage.Output, "totalTokenCount": usage.Input + usage.Output},
		"modelVersion":  s.request.Model,
	})
}
