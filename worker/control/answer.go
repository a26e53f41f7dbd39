package control

import (
	"context"
	"time"

	"aburn/worker/headless"
	"aburn/worker/slot"
)

// answerTime is how long an agent may take to say that it has an answer.
const answerTime = 30 * time.Second

// Answer answers the question of an id; an empty id means the only one.
func Answer(ctx context.Context, ch headless.Channel, h slot.Handle, id string, allow bool, text string) (slot.Question, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return ch.Answer(ctx, h, id, allow, text)
}
