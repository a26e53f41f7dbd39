package slot

import (
	"context"
	"time"
)

// Width and Height are the size of a terminal that nobody has looked at yet, in characters.
const Width, Height = 200, 50

// Screen is what a terminal shows at one moment.
type Screen struct {
	Lines   []string  // from the top, without blanks at their ends
	X, Y    int       // of the cursor, from 0
	Touched time.Time // when a person who looks at it last pressed a key; zero if nobody looks
}

// Key is a key that can be pressed for an agent.
type Key string

// The keys.
const (
	Enter  Key = "Enter"
	Escape Key = "Escape"
)

// Typist is a runtime in which agents sit at a screen. An address is what its Start returned.
type Typist interface {
	Screen(ctx context.Context, address string) (Screen, error)
	// Paste puts text in as one paste, which a program can tell from typed characters.
	Paste(ctx context.Context, address, text string) error
	Press(ctx context.Context, address string, k Key) error
}

// Asker is an agent whose dialogs can be told from all else on its screen: a permission, or whether a folder is trusted.
type Asker interface {
	// Asks is what a dialog that waits for a person says. ok is false if the screen shows none for sure.
	Asks(Screen) (words string, ok bool)
}

// Prompter is an agent whose input line can be read off its screen.
type Prompter interface {
	// Input is what stands in the input line. ok is false if the screen shows none: a question, a menu, or nothing known.
	Input(Screen) (text string, ok bool)
	// Shows reports whether an input line is this pasted text, whole and with nothing else.
	Shows(input, text string) bool
	// Busy reports whether the screen shows that a turn goes on.
	Busy(Screen) bool
}
