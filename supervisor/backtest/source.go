package backtest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"aburn/internal/journal"
	"aburn/logfmt"
)

// Source is a log: a file, or a folder with a log and its rotated segments.
type Source struct {
	Name  string // the path as given, for people and labels
	Bytes int64  // to read

	oss  string // the folder; "" for a file
	file string
}

// Open finds a log: path is a file of entries, a folder .oss, or a folder that has one. It reads no entries.
func Open(path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, err
	}
	s := Source{Name: filepath.ToSlash(path)}
	switch {
	case info.Mode().IsRegular():
		s.file, s.Bytes = path, info.Size()
		return s, nil
	case !info.IsDir():
		return Source{}, fmt.Errorf("%s is neither a file nor a folder", path)
	}
	s.oss = path
	if inner := filepath.Join(path, ".oss"); isDir(inner) {
		s.oss = inner
	}
	return s, s.measure()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (s *Source) measure() error {
	root, err := os.OpenRoot(s.oss)
	if err != nil {
		return err
	}
	defer root.Close()
	segments, err := journal.New(root, journal.Options{By: journal.Command}).Segments()
	for _, segment := range segments {
		s.Bytes += segment.Size
	}
	if err == nil && len(segments) == 0 {
		err = fmt.Errorf("%s has no %s", s.Name, journal.Name)
	}
	return err
}

// Replay replays the log. It calls progress, unless nil, now and then with the bytes read since the last call.
func (s Source) Replay(o Options, progress func(bytes int64)) (*Result, error) {
	r := New(o)
	p := progressMeter{report: progress}
	var damage int64
	var err error
	if s.oss != "" {
		damage, err = s.folder(r, &p)
	} else {
		damage, err = s.lines(r, &p)
	}
	if err != nil {
		return nil, err
	}
	res := r.Finish()
	res.Log, res.Damage = s.Name, damage
	return res, nil
}

// progressMeter reports progress every 64 KiB.
type progressMeter struct {
	report func(int64)
	read   int64
}

func (p *progressMeter) add(n int) {
	if p.read += int64(n); p.read >= 64<<10 && p.report != nil {
		p.report(p.read)
		p.read = 0
	}
}

func (s Source) folder(r *Replay, p *progressMeter) (int64, error) {
	root, err := os.OpenRoot(s.oss)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	log := journal.New(root, journal.Options{By: journal.Command})
	for rec, err := range log.Entries(journal.Position{}) {
		if err != nil {
			return 0, err
		}
		r.Entry(rec.Value, rec.Carried)
		p.add(len(rec.JSON) + len(rec.JSON)/4) // estimates the readable line beside the JSON
	}
	return log.Stats().Damage, nil
}

func (s Source) lines(r *Replay, p *progressMeter) (int64, error) {
	f, err := os.Open(s.file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return readLines(f, r, p)
}

// readLines reads one file of a log. It recognises the carried lines at a rotated segment's beginning, counts damage,
// and ignores a torn last line.
func readLines(f io.Reader, r *Replay, p *progressMeter) (damage int64, err error) {
	var parser logfmt.Parser
	var block logfmt.Block
	var e logfmt.Entry
	in := bufio.NewReaderSize(f, 256<<10)
	for {
		line, err := in.ReadSlice('\n')
		p.add(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // longer than any entry
			damage++
			if err := skipLine(in); err != nil {
				return damage, ended(err)
			}
			continue
		case err != nil:
			return damage, ended(err)
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		kind, carried := logfmt.Classify(line), block.Step(line)
		switch {
		case kind == logfmt.Damage, kind == logfmt.EntryLine && parser.Parse(line, &e) != nil:
			damage++
		case kind == logfmt.EntryLine:
			r.Entry(&e, carried)
		}
	}
}

func skipLine(in *bufio.Reader) error {
	for {
		if _, err := in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// ended is nil for the end of a file.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
