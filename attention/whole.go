package attention

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/shell"
)

// The log has the first bytes of a command or question. The rest stands in the agent's own file, in the call that asks. It is read when
// it is shown, and kept nowhere but in memory.

// How much of the end of an agent's file is searched for a call that waits, and how much of a call is shown, in bytes.
const (
	searchedEnd  = 1 << 20
	longestWhole = 16 << 10
)

// Wholes are the inputs of calls that wait, by file and call.
type Wholes struct {
	mu sync.Mutex
	of map[[2]string]found
}

// found is what a file says of a call. Text is "" if it did not, when it had this size.
type found struct {
	text string
	size int64
}

// Of is the input of the call that a thing waits for, in lines, "" where the agent's file does not say it, or something else than
// the log.
func (w *Wholes) Of(path string, item *Item) string {
	if item.Group != Waiting || item.Call == "" || path == "" {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := [2]string{path, item.Call}
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	if had, ok := w.of[key]; ok && (had.text != "" || had.size == st.Size()) {
		return had.text
	}
	const most = 256 // calls; an old one is read again
	if w.of == nil || len(w.of) > most {
		w.of = map[[2]string]found{}
	}
	one := found{size: st.Size()}
	if text := inputOf(lastLineWith(path, item.Call), item.Call); agrees(text, item.Quoted) {
		one.text = shownLines(text)
	}
	w.of[key] = one
	return one.text
}

// lastLineWith is the last line in a file's end that has a call's id in quotes.
func lastLineWith(path, call string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(st.Size()-searchedEnd, 0)
	text, err := io.ReadAll(io.NewSectionReader(f, from, st.Size()-from))
	if err != nil {
		return nil
	}
	at := bytes.LastIndex(text, []byte(`"`+call+`"`))
	if at < 0 {
		return nil
	}
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	end := bytes.IndexByte(text[at:], '\n')
	if end < 0 || begin == 0 && from > 0 { // a line that is not whole
		return nil
	}
	return text[begin : at+end]
}

// inputOf is what the call with this id asks for, in a record of any agent: the object that has the id as a member has the input, too.
func inputOf(record []byte, call string) string {
	var value any
	if json.Unmarshal(record, &value) != nil {
		return ""
	}
	return wordsOf(callIn(value, call))
}

func callIn(value any, call string) (input any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			if input = callIn(one, call); input != nil {
				return input
			}
		}
	case map[string]any:
		isIt := false
		for _, one := range v {
			isIt = isIt || one == any(call)
		}
		for _, name := range []string{"input", "arguments"} {
			if isIt && v[name] != nil {
				return v[name]
			}
		}
		for _, one := range v {
			if input = callIn(one, call); input != nil {
				return input
			}
		}
	}
	return nil
}

// wordsOf is an input as a person is asked about it: a command, questions with their answers, a plan.
func wordsOf(input any) string {
	if text, ok := input.(string); ok { // arguments as JSON in a string
		if json.Unmarshal([]byte(text), &input) != nil {
			return ""
		}
	}
	v, _ := input.(map[string]any)
	for _, name := range []string{"command", "cmd", "plan", "url", "query"} {
		switch text := v[name].(type) {
		case string:
			return text
		case []any:
			var words []string
			for _, w := range text {
				words = append(words, shell.Quote(fmt.Sprint(w)))
			}
			return strings.Join(words, " ")
		}
	}
	var lines []string
	questions, _ := v["questions"].([]any)
	for _, q := range questions {
		q, _ := q.(map[string]any)
		lines = append(lines, textOf(q["question"]))
		options, _ := q["options"].([]any)
		for _, o := range options {
			o, _ := o.(map[string]any)
			lines = append(lines, strings.TrimRight("  · "+textOf(o["label"])+": "+textOf(o["description"]), ": "))
		}
	}
	return strings.Join(lines, "\n")
}

func textOf(v any) string {
	text, _ := v.(string)
	return text
}

// agrees reports whether a text begins as the log says.
func agrees(text, head string) bool {
	if text == "" {
		return false
	}
	head, _ = strings.CutSuffix(head, "…")
	return strings.HasPrefix(plain.Line(scrub.Head(strings.TrimSpace(text), longestWhole)), head) // as hooks write heads
}

// shownLines is a text without secrets and what acts on a screen, in lines.
func shownLines(text string) string {
	if len(text) > longestWhole {
		text = strings.ToValidUTF8(text[:longestWhole], "") + "\n…"
	}
	text, _ = scrub.Text(text)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = plain.Line(line)
	}
	return strings.Join(lines, "\n")
}
