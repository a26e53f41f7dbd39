package postgres

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// Failed is an error of the database or of the way to it.
type Failed struct {
	Msg  string
	hint string
	err  error
}

func (e *Failed) Error() string { return e.Msg }
func (e *Failed) Unwrap() error { return e.err }

// Hint says what to do about it.
func (e *Failed) Hint() string { return e.hint }

// cause is the innermost error: the ones around it repeat the address.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// Codes of PostgreSQL's errors.
const (
	noTable       = "42P01"
	noSchema      = "3F000"
	noRight       = "42501"
	noDatabase    = "3D000"
	wrongPassword = "28P01"
	notLetIn      = "28000"
	tooMany       = "53300"
	startingUp    = "57P03"
	readOnly      = "25006"
	lockTimeout   = "55P03"
	roleExists    = "42710"
)

// explain says what went wrong and what can be done, in the words of the one who pushes.
func (t *Target) explain(err error) error {
	var said *pgconn.PgError
	if err == nil || errors.As(err, new(*Failed)) || errors.As(err, new(*Refused)) {
		return err
	}
	if errors.As(err, &said) {
		return t.refusal(said)
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return t.unreachable(err)
	}
	if lost(err) {
		return &Failed{t.Name + ": the connection was lost", "run it again: a push changes all or nothing", err}
	}
	return err
}

// refusal is an error that the server itself states.
func (t *Target) refusal(said *pgconn.PgError) error {
	fail := func(msg, hint string) error { return &Failed{t.Name + ": " + msg, hint, said} }
	tells := said.Message
	switch said.Code {
	case wrongPassword:
		return fail("the server refuses the password, or there is none", passwordHint)
	case notLetIn:
		if strings.Contains(tells, "no encryption") || strings.Contains(tells, "SSL off") {
			return fail("the server wants TLS: "+tells, "add ?sslmode=verify-full to the URL")
		}
		return fail("the server does not let this role in: "+tells,
			"whoever runs the server allows it in pg_hba.conf, and makes the role with --init --add-machine ROLE")
	case noDatabase:
		return fail("there is no such database", "whoever runs the server makes it: createdb "+t.Database())
	case noTable, noSchema:
		return fail("the database has no tables of aburn's", "whoever owns the database runs: aburn push URL --init --add-machine "+t.config.User)
	case noRight:
		return fail("this role may not do that: "+tells, "whoever owns the tables runs: aburn push URL --init --add-machine "+t.config.User)
	case lockTimeout:
		return fail("another push, or --init, is still running", "wait for it, then run this again")
	case tooMany, startingUp:
		return fail("the server takes no connection now: "+tells, "run it again later: a push changes all or nothing")
	case readOnly:
		return fail("the server is read-only: "+tells, "push to the primary server")
	}
	if lost(said) {
		return fail("the connection was lost: "+tells, "run it again: a push changes all or nothing")
	}
	return fail(tells+" (SQLSTATE "+said.Code+")", "")
}

// unreachable is an error before anybody answered as PostgreSQL.
func (t *Target) unreachable(err error) error {
	fail := func(msg, hint string) error { return &Failed{t.Name + ": " + msg, hint, err} }
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var lookup *net.DNSError
	switch {
	case errors.As(err, &authority):
		return fail("nobody that this machine trusts has signed the server's certificate", "PGSSLROOTCERT=FILE names your own certificate authority")
	case errors.As(err, &name), errors.As(err, &invalid):
		return fail("the server's certificate is not one for this host: "+cause(err).Error(), "use the name that stands in the certificate")
	case strings.Contains(err.Error(), "refused TLS"):
		return fail("the server has no TLS, without which nobody can tell who answers",
			"whoever runs the server sets ssl = on; ssh -L brings its port to 127.0.0.1, where TLS is not needed")
	case errors.As(err, &lookup):
		return fail("the host is unknown: "+lookup.Err, "")
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail("nobody answers: connection refused", "does the server run, and does it listen there?")
	case errors.Is(err, syscall.ENOENT):
		return fail("there is no socket of a server", "does the server run? a folder is given as postgres:///DATABASE?host=/run/postgresql")
	case timedOut(err):
		return fail("nobody answers in time", "is there a firewall or a VPN between?")
	}
	return fail(cause(err).Error(), "")
}

func timedOut(err error) bool {
	var timeout net.Error
	return pgconn.Timeout(err) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// lost reports whether the connection is gone: by the server's word, by the network, or by time.
func lost(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return strings.HasPrefix(said.Code, "57P") || strings.HasPrefix(said.Code, "08")
	}
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed, pgconn.ErrConnClosed} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return timedOut(err)
}

// WrongVersion is the error for tables of another aburn.
type WrongVersion struct {
	Name       string
	Have, Want int
}

func (e *WrongVersion) Error() string {
	age := "an older"
	if e.Have > e.Want {
		age = "a newer"
	}
	return fmt.Sprintf("%s: %s aburn made the tables: their version is %d, and this aburn writes %d", e.Name, age, e.Have, e.Want)
}

// Hint says what to do about it.
func (e *WrongVersion) Hint() string {
	if e.Have > e.Want {
		return "update aburn on this machine; nothing was changed"
	}
	return "whoever owns the tables runs: aburn push URL --init"
}
