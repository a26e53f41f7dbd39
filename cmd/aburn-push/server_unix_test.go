//go:build unix

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	random "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"aburn/internal/lab/world"
)

// server is a PostgreSQL that all tests of this process share, in a folder of its own.
type server struct {
	bin, dir string
	port     int
	cmd      *exec.Cmd
	end      io.Closer // closing it ends the server
	skip     string    // why there is none
	err      error
}

var (
	theServer server
	startOnce sync.Once
	databases atomic.Int64
)

// hba lets the owner in by the socket, asks "secretive" for a password, and lets nobody in without TLS by the network.
const hba = `local all secretive scram-sha-256
local all all trust
hostssl all all 127.0.0.1/32 scram-sha-256
`

func (s *server) start() {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if path, err := exec.LookPath("postgres"); err == nil {
		path, _ = filepath.EvalSymlinks(path)
		found = append(found, filepath.Dir(path))
	}
	if len(found) == 0 {
		s.skip = "no PostgreSQL is installed: postgres is neither on PATH nor in /usr/lib/postgresql"
		return
	}
	s.bin = found[len(found)-1]
	if s.dir, s.err = os.MkdirTemp("/tmp", "aburn-push"); s.err != nil { // short: a socket's path has at most 107 bytes
		return
	}
	as, err := s.notRoot()
	if err != nil {
		s.err = err
		return
	}
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(s.bin, name), args...)
		cmd.Dir, cmd.SysProcAttr, cmd.Env = s.dir, &syscall.SysProcAttr{Credential: as}, []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + s.dir}
		return cmd
	}
	data := filepath.Join(s.dir, "data")
	if out, err := run("initdb", "-D", data, "-U", "owner", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C").CombinedOutput(); err != nil {
		s.err = fmt.Errorf("initdb: %w\n%s", err, out)
		return
	}
	if s.err = os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(hba), 0o644); s.err != nil {
		return
	}
	if s.err = s.certify(data, as); s.err != nil {
		return
	}
	s.port = freePort()
	// The shell ends the server when this process is gone, however it ends.
	s.cmd = run("postgres", "-D", data, "-k", s.dir, "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "ssl=on",
		"-c", "shared_buffers=16MB", "-c", "max_connections=40", "-c", "log_statement=all")
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		s.err = err
		return
	}
	s.cmd.Args = append([]string{"sh", "-c", `"$@" & read end; kill -INT $!; wait; rm -rf "$HOME"`, "sh", s.cmd.Path}, s.cmd.Args[1:]...)
	s.cmd.Path = "/bin/sh"
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if s.end, s.err = s.cmd.StdinPipe(); s.err != nil {
		return
	}
	if s.err = s.cmd.Start(); s.err == nil {
		s.err = s.await()
	}
}

// certify makes the server's certificate for 127.0.0.1, which signs itself: it is the authority that PGSSLROOTCERT can name.
func (s *server) certify(data string, as *syscall.Credential) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{"server.crt": {Type: "CERTIFICATE", Bytes: cert}, "server.key": {Type: "PRIVATE KEY", Bytes: private}} {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
		if as != nil {
			if err := os.Chown(path, int(as.Uid), int(as.Gid)); err != nil {
				return err
			}
		}
	}
	return nil
}

// notRoot is the user who runs the server: PostgreSQL refuses to be run by root. It gets the folder.
func (s *server) notRoot() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(s.dir, uid, gid)
}

// freePort is one that no system gives to a connection by itself: until the server listens, nothing takes it by chance.
func freePort() int {
	for range 100 {
		port := 12_000 + random.IntN(18_000)
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			l.Close()
			return port
		}
	}
	return 0
}

func (s *server) await() error {
	var err error
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(context.Background(), s.url("owner", "postgres")); err == nil {
			return conn.Close(context.Background())
		}
	}
	log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return fmt.Errorf("the server does not answer: %w\n%s", err, log)
}

func (s *server) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		s.end.Close()
		s.cmd.Wait()
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// url is an address by the socket.
func (s *server) url(role, database string) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s&port=%d", role, database, s.dir, s.port)
}

// team is a database with aburn's tables, and its owner's connection.
type team struct {
	*testing.T
	*server
	name  string
	owner *pgx.Conn
}

// newDatabase makes an empty database on the real server. It skips where there is no PostgreSQL, and never in CI.
func newDatabase(t *testing.T) *team {
	world.Slow(t)
	t.Helper()
	startOnce.Do(theServer.start)
	switch {
	case theServer.skip != "" && os.Getenv("ABURN_POSTGRES") == "must": // as in .ci/run, which installs it
		t.Fatal(theServer.skip)
	case theServer.skip != "":
		t.Skip(theServer.skip)
	case theServer.err != nil:
		t.Fatal(theServer.err)
	}
	k := &team{T: t, server: &theServer, name: fmt.Sprintf("team%d", databases.Add(1))}
	k.owner = k.connect("owner", "postgres")
	k.sql("CREATE DATABASE " + k.name)
	k.owner = k.connect("owner", k.name)
	return k
}

// newTeam makes a database with the tables, and roles that may push.
func newTeam(t *testing.T, roles ...string) *team {
	t.Helper()
	k := newDatabase(t)
	args := []string{k.address("owner"), "--init", "--add-lead", "lead"}
	for _, role := range roles {
		args = append(args, "--add-machine", role)
	}
	newMachine(t).must(args...)
	return k
}

func (k *team) address(role string) string { return k.url(role, k.name) }

func (k *team) connect(role, database string) *pgx.Conn {
	k.Helper()
	conn, err := pgx.Connect(k.Context(), k.url(role, database))
	if err != nil {
		k.Fatal(err)
	}
	k.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// as is a connection of another role.
func (k *team) as(role string) *pgx.Conn {
	k.Helper()
	return k.connect(role, k.name)
}

func (k *team) sql(text string, args ...any) {
	k.Helper()
	if _, err := k.owner.Exec(k.Context(), text, args...); err != nil {
		k.Fatalf("%s: %v", text, err)
	}
}

// text is what a query with one column says, one row a line.
func (k *team) text(conn *pgx.Conn, query string, args ...any) string {
	k.Helper()
	rows, err := conn.Query(k.Context(), query, args...)
	if err != nil {
		k.Fatalf("%s: %v", query, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		k.Fatalf("%s: %v", query, err)
	}
	return strings.Join(list, "\n")
}

// contents is all that the database has of the machines, except when they pushed.
func (k *team) contents() string {
	k.Helper()
	return k.text(k.owner, `SELECT d::text FROM aburn.days d UNION ALL SELECT s::text FROM aburn.sessions s
		UNION ALL SELECT f::text FROM aburn.failures f UNION ALL SELECT p::text FROM aburn.pushed p
		UNION ALL SELECT concat(id, owner, person) FROM aburn.machines ORDER BY 1`)
}
