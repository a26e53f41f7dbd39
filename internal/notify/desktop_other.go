//go:build !unix

package notify

import (
	"context"
	"errors"
)

var errNoDesktop = errors.New("no desktop notifications on this system: notify.command can do it")

func (n *Notifier) desktop(context.Context, []Notice) error { return errNoDesktop }
