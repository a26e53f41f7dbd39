//go:build !unix

package lockfile

import "os"

const openFlags = os.O_RDONLY
