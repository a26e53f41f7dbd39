package queue

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"aburn/logfmt"
)

// The archive is a file of at most archiveSize bytes and one older generation of it. It is for
// people; only the cooldown of signatures reads it.
const (
	olderArchive = "queue.archive.1.jsonl"
	archiveSize  = 1 << 20
)

// Reasons of dropped tasks that somebody asks for. After ReasonOver no cooldown holds: if the
// session is taken up again, it is told what is still wrong.
const (
	ReasonExpired = "expired"
	ReasonFull    = "full"
	ReasonOver    = "session over"
)

// archiveLine is a dropped task's line in the archive.
func archiveLine(raw []byte, reason string, at time.Time) []byte {
	var o logfmt.Object
	o.Raw("task", oneLine(raw)).Str("reason", reason).Str("at", formatTime(at))
	return append(o.Bytes(), '\n')
}

// appendArchive appends whole lines with one write, on a new line even after a killed writer.
func (q *Queue) appendArchive(lines []byte, sync bool) error {
	f, info, err := openRegular(q.root, ArchiveName, appendFlags)
	if err == nil && info.Size() > 0 && info.Size()+int64(len(lines)) > archiveSize {
		f.Close()
		if err := q.root.Rename(ArchiveName, olderArchive); err != nil {
			return err
		}
		f, info, err = openRegular(q.root, ArchiveName, appendFlags)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = q.root.OpenFile(ArchiveName, appendFlags|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			info, err = f.Stat()
		}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if n := info.Size(); n > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], n-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	if _, err := f.Write(lines); err != nil {
		return err
	}
	if sync {
		return f.Sync()
	}
	return nil
}

// archived yields the archived tasks of ours with the signature that keep another one away,
// in no particular order.
func (q *Queue) archived(signature string, yield func(Task) bool) {
	mark := append([]byte(`"signature":`), quote(signature)...)
	for _, name := range []string{ArchiveName, olderArchive} {
		data, _, err := readRegular(q.root, name)
		if err != nil {
			continue // without a readable archive, no signature is cooling down
		}
		for line := range bytes.Lines(data) {
			if !bytes.Contains(line, mark) {
				continue
			}
			t, reason := archivedTask(line)
			if reason == ReasonOver {
				continue
			}
			if t.Signature == signature && q.Ours(t) && !yield(t) {
				return
			}
		}
	}
}

// archivedTask parses an archive line; the task is empty if the line holds none.
func archivedTask(line []byte) (t Task, reason string) {
	ok := logfmt.Members(bytes.TrimSpace(line), func(key logfmt.RawString, value []byte) bool {
		switch string(key) {
		case "task":
			t = parseTask(value)
		case "reason":
			reason = strings.Trim(string(value), `"`)
		}
		return true
	})
	if !ok {
		return Task{}, ""
	}
	return t, reason
}
