package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// reapDelay bounds the wait for a killed command's pipe, which a child outside of its group may
// keep open.
const reapDelay = time.Second

// command runs the user's command once for each notice.
func (n *Notifier) command(ctx context.Context, batch []Notice) error {
	return n.runEach(ctx, n.options.Command, batch)
}

func (n *Notifier) runEach(ctx context.Context, argv []string, batch []Notice) error {
	var first error
	for _, notice := range batch {
		if ctx.Err() != nil {
			return first
		}
		if err := n.start(ctx, argv, notice.JSON); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// start runs a program to its end, with stdin as its input and no output.
func (n *Notifier) start(ctx context.Context, argv []string, stdin []byte) error {
	ctx, cancel := context.WithTimeout(ctx, n.options.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = n.home()
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.WaitDelay = reapDelay
	inGroup(cmd)
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s: no end after %v: killed", argv[0], n.options.Timeout)
	case ctx.Err() != nil || errors.Is(err, exec.ErrWaitDelay):
		return nil // aburn is ending; or it succeeded, but a child keeps the input open
	case errors.As(err, &exit):
		return fmt.Errorf("%s: %s", argv[0], exit.ProcessState)
	}
	return err
}

// home is the folder where programs are started, never a repository.
func (n *Notifier) home() string {
	if n.options.Env != nil {
		if st, err := os.Stat(n.options.Env("HOME")); err == nil && st.IsDir() {
			return n.options.Env("HOME")
		}
	}
	return os.TempDir()
}
