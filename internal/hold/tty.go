package hold

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// A holder can give its agent a terminal. Who wants to see it or to type connects to the socket tty.N. Both sides send
// frames: one byte that says what, four of the length (big-endian), the content. The first frame of a viewer is a version.
//
//	viewer  v  "1", first
//	        w  watch: from now on the viewer gets o. Content is empty
//	        t  watch and type. Content is the size of its terminal, COLSxROWS, which the agent's becomes
//	        z  the size of its terminal changed
//	        k  keys
//	        s  what stands on the screen? Answered by s
//	        p  text, as one paste. Answered by d
//	        y  a key that aburn presses. Answered by d
//	holder  o  what the agent printed; it begins with the screen as it is
//	        s  cursor's column and row, when somebody typed last (Unix milliseconds, 0 never), the size in columns and rows; then
//	           the screen's lines. Older holders leave out the size
//	        d  done; with content, why not
//
// A viewer that only watches changes nothing, its own size included. One that does not read does not hold up the agent: it
// gets the screen anew when it reads again. One that asks on and on and reads no answer is sent away.
const ttyVersion = "1"

const (
	maxFrame  = 4 << 20   // bytes; a screen of the largest size fits
	maxBehind = 256 << 10 // bytes that wait for a viewer
)

var errFrame = errors.New("not a frame of this version")

func frame(dst []byte, kind byte, content string) []byte {
	dst = binary.BigEndian.AppendUint32(append(dst, kind), uint32(len(content)))
	return append(dst, content...)
}

func readFrame(r io.Reader, most uint32) (kind byte, content string, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, "", err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > most {
		return 0, "", errFrame
	}
	text := make([]byte, n)
	_, err = io.ReadFull(r, text)
	return head[0], string(text), err
}

// Shown is what an agent's terminal shows at one moment.
type Shown struct {
	Lines   []string
	X, Y    int
	Touched time.Time // when a person typed last; zero if nobody did
	Size    Size      // zero if an older holder does not say it
}

func (s Shown) text() string {
	touched := int64(0)
	if !s.Touched.IsZero() {
		touched = s.Touched.UnixMilli()
	}
	return strconv.Itoa(s.X) + " " + strconv.Itoa(s.Y) + " " + strconv.FormatInt(touched, 10) + " " + strconv.Itoa(s.Size.Cols) + " " + strconv.Itoa(s.Size.Rows) +
		"\n" + strings.Join(s.Lines, "\n")
}

func parseShown(text string) (s Shown, err error) {
	head, rest, _ := strings.Cut(text, "\n")
	fields := strings.Fields(head)
	if len(fields) != 3 && len(fields) != 5 {
		return s, errFrame
	}
	x, errX := strconv.Atoi(fields[0])
	y, errY := strconv.Atoi(fields[1])
	ms, errT := strconv.ParseInt(fields[2], 10, 64)
	if s = (Shown{Lines: strings.Split(rest, "\n"), X: x, Y: y}); ms > 0 {
		s.Touched = time.UnixMilli(ms)
	}
	if len(fields) == 5 {
		var errC, errR error
		s.Size.Cols, errC = strconv.Atoi(fields[3])
		s.Size.Rows, errR = strconv.Atoi(fields[4])
		errT = errors.Join(errT, errC, errR)
	}
	return s, errors.Join(errX, errY, errT)
}

// pasted is a text as the paste of a program that takes such. Nothing in it can end the paste.
func pasted(text string) string {
	return "\x1b[200~" + strings.ReplaceAll(strings.ReplaceAll(text, "\x1b", ""), "\n", "\r") + "\x1b[201~"
}
