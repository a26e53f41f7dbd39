package manager

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aburn/internal/atomicfile"
	"aburn/logfmt"
	"aburn/worker/ledger"
)

// outbox is the folder of texts that wait to be told, a file a message, beside the ledger that says so. A text is on the disk before the
// ledger names it. It begins with its tag; what does not is a file that a crash tore.
const outbox = "outbox"

func outboxFile(book *ledger.Book, id string) string { return filepath.Join(book.Dir, outbox, id) }

// keepText puts a text there that begins with its tag.
func keepText(book *ledger.Book, id, text string) error {
	path := outboxFile(book, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, []byte(text), 0o600, atomicfile.Options{Sync: true})
}

// keptText is a text with its tag. The error is fs.ErrNotExist if it was lost.
func keptText(book *ledger.Book, id string) (string, error) {
	text, err := os.ReadFile(outboxFile(book, id))
	if err == nil && !strings.HasPrefix(string(text), logfmt.MessageTag(id)+" ") {
		err = fmt.Errorf("the text of %s was lost: %w", id, fs.ErrNotExist)
	}
	return string(text), err
}

// WaitingText is the text of a message that waits for a worker, "" if there is none.
func WaitingText(c *Manager, name, id string) string {
	text, err := keptText(c.Store.Book(name), id)
	if err != nil {
		return ""
	}
	return text
}
