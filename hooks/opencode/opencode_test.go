package opencode

import (
	"testing"

	"aburn/hooks"
)

// A status says how a call ended. What it answered is there only with the output.
func TestAnswered(t *testing.T) {
	for response, want := range map[string]bool{
		`{"status":"completed","exit":0}`:                  false,
		`{"status":"completed"}`:                           false,
		`{"status":"completed","exit":7,"output":"no\\n"}`: true,
		``: false,
	} {
		if got := Agent().Answered(&hooks.Payload{Response: hooks.JSON(response)}); got != want {
			t.Errorf("%s: %t", response, got)
		}
	}
}
