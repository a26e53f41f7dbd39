package failure

import "testing"

func TestUnwrap(t *testing.T) {
	for text, want := range map[string]string{
		"<tool_use_error>File has not been read yet</tool_use_error>":  "File has not been read yet",
		"<tool_use_error><error>no such tool</error></tool_use_error>": "no such tool",
		"<tool_use_error>cut in the mid":                               "cut in the mid",
		"<div>not closed":                                              "<div>not closed",
		"<?xml version=1>":                                             "<?xml version=1>",
		"a < b > c":                                                    "a < b > c",
		"<":                                                            "<",
		"":                                                             "",
	} {
		if got := Unwrap(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
