package queue_test

import (
	"testing"

	"aburn/internal/queue"
)

// What Compose makes is known again, whatever it begins with: a hook tells it from what a person typed.
func TestComposedIsKnownAgain(t *testing.T) {
	advice := queue.Task{ID: "a", Prompt: "run the tests"}
	message := queue.Task{ID: "m", Kind: queue.KindMessage, Prompt: "use port 8081"}
	for name, tasks := range map[string][]queue.Task{"advice": {advice}, "a message": {message}, "both": {message, advice}} {
		if text, used, _ := queue.Compose(tasks, 0); len(used) != len(tasks) || !queue.IsComposed(text) {
			t.Errorf("%s: not known again: %q", name, text)
		}
	}
	if queue.IsComposed("use port 8081") {
		t.Error("a person's words count as composed")
	}
}
