package provider

import (
	"context"
	"fmt"
	"sync"
)

// Script answers from a list, in its order. It is for tests and demonstrations.
type Script struct {
	Answers []Answer

	mu    sync.Mutex
	asked []Request
}

// Answer is one answer of a Script, or an error.
type Answer struct {
	Response Response
	Err      error
}

func (s *Script) Name() string { return "script" }

func (s *Script) Ready(context.Context) error { return nil }

// Complete gives the next answer. After the last one it is an error: a test that asks
// more often than it meant should fail.
func (s *Script) Complete(ctx context.Context, r Request) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.asked)
	s.asked = append(s.asked, r)
	if n >= len(s.Answers) {
		return Response{}, fmt.Errorf("the script has %d answers, and this is question %d", len(s.Answers), n+1)
	}
	return s.Answers[n].Response, s.Answers[n].Err
}

// Asked are the questions so far.
func (s *Script) Asked() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.asked...)
}
