//go:build !unix

package lockfile

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
