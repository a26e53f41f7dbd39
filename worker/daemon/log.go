package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"aburn/internal/plain"
	"aburn/internal/scrub"
)

func (d *daemon) say(root, text string) {
	text, _ = scrub.Text(text)
	fmt.Fprintf(d.out, "%s  %s  %s\n", time.Now().Format("2006-01-02 15:04:05"), plain.Line(filepath.Base(root)), plain.Line(text))
	d.shortenLog()
}

// shortenLog empties the log when it is full, after its text was kept. The file stays the same one: it is open for what the
// runtime says at an end, too, and everybody appends to it.
func (d *daemon) shortenLog() {
	out, ok := d.out.(*os.File)
	if !ok {
		return
	}
	st, err := out.Stat()
	named, err2 := d.state.root.Stat(logFile)
	if err != nil || err2 != nil || !os.SameFile(st, named) || st.Size() <= maxLog {
		return
	}
	text, err := d.state.root.ReadFile(logFile)
	if err == nil {
		err = d.state.root.WriteFile(logFile+".old", text, 0o600)
	}
	if err == nil {
		_ = out.Truncate(0)
	}
}
