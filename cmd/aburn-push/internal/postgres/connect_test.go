package postgres

import (
	"errors"
	"strings"
	"testing"
)

// TestParse: an address without a password, that stays on this machine or proves who answers, is one to connect to.
func TestParse(t *testing.T) {
	word := "hunter" + "W8ambler"
	for _, c := range []struct{ name, address, mode, says string }{
		{"socket", "postgres:///team?host=/run/postgresql", "", ""},
		{"this machine", "postgres://anna@127.0.0.1/team", "", ""},
		{"this machine by name", "postgresql://anna@localhost:6432/team?sslmode=disable", "", ""},
		{"this machine by IPv6", "postgres://anna@[::1]/team", "", ""},
		{"another machine", "postgres://anna@db.example/team", "", ""},
		{"another machine with proof", "postgres://anna@db.example/team?sslmode=verify-full", "", ""},
		{"a variable with proof", "postgres://anna@db.example/team", "verify-full", ""},
		{"no proof", "postgres://anna@db.example/team?sslmode=require", "", "sslmode=require does not prove who answers at db.example"},
		{"no name in the proof", "postgres://anna@db.example/team?sslmode=verify-ca", "", "sslmode=verify-ca does not prove"},
		{"no TLS", "postgres://anna@db.example/team?sslmode=disable", "", "sslmode=disable does not prove"},
		{"a variable without proof", "postgres://anna@db.example/team", "prefer", "sslmode=prefer does not prove"},
		{"one of two hosts without proof", "postgres://anna@127.0.0.1,db.example/team?sslmode=prefer", "", "at db.example"},
		{"a host behind the question mark", "postgres://anna@/team?host=db.example&sslmode=allow", "", "sslmode=allow does not prove"},
		{"password", "postgres://anna:" + word + "@db.example/team", "", "the URL holds a password"},
		{"empty password", "postgres://anna:@db.example/team", "", "the URL holds a password"},
		{"password with an @", "postgres://anna:x@" + word + "@db.example/team", "", "the URL holds a password"},
		{"password with a slash", "postgres://anna:x/" + word + "@db.example/team", "", "the URL holds a password"},
		{"password with a question mark", "postgres://anna:x?" + word + "@db.example/team", "", "no URL"},
		{"password that cannot be decoded", "postgres://anna:%zz" + word + "@db.example/team", "", "the URL holds a password"},
		{"password as a parameter", "postgres://anna@db.example/team?password=" + word, "", "the URL holds a password"},
		{"password as a hidden parameter", "postgres://anna@db.example/team?pass%77ord=" + word, "", "the URL holds a password"},
		{"a key's password", "postgres://anna@db.example/team?sslpassword=" + word, "", "the URL holds a password"},
		{"another scheme", "mysql://anna:" + word + "@db.example/team", "", "no postgres:// URL"},
		{"words", "host=db.example password=" + word, "", "no postgres:// URL"},
		{"a port that is none", "postgres://anna@db.example:x" + word + "/team", "", "no URL"},
		{"a parameter that is none", "postgres://anna@db.example/team?connect_timeout=x", "", "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PGSSLMODE", c.mode)
			target, err := Parse(c.address)
			if c.says == "" {
				if err != nil || !safe(target.config) {
					t.Errorf("%v, %+v", err, target)
				}
				return
			}
			var refused *Refused
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) || refused.Hint() == "" {
				t.Fatalf("%v, want %q", err, c.says)
			}
			if strings.Contains(err.Error()+refused.Hint(), word) {
				t.Errorf("the password is repeated: %v", err)
			}
		})
	}
}

// TestProof: a connection to another machine checks the certificate, and the name in it.
func TestProof(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	target, err := Parse("postgres://anna@db.example/team")
	if err != nil {
		t.Fatal(err)
	}
	c := target.config.TLSConfig
	if c == nil || c.InsecureSkipVerify || c.ServerName != "db.example" || len(target.config.Fallbacks) != 0 {
		t.Errorf("%+v, %d other ways", c, len(target.config.Fallbacks))
	}
	if target.Name != "anna@db.example:5432/team" {
		t.Error(target.Name)
	}
}

func TestDollars(t *testing.T) {
	for n, want := range map[int64]string{0: "0.000000000000000", 1: "0.000000000000001", 4_000_000_000: "0.000004000000000",
		12_345_678_901_234_567: "12.345678901234567"} {
		if got := *dollars(&n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if dollars(nil) != nil {
		t.Error("no price is one")
	}
}

func TestOldServers(t *testing.T) {
	target := &Target{Name: "x"}
	for version, ok := range map[string]bool{"15.18 (Debian 15.18-0+deb12u1)": true, "11.0": true, "19devel": true, "": true, "10.23": false, "9.6.24": false} {
		if err := target.recent(version); (err == nil) != ok {
			t.Errorf("%s: %v", version, err)
		}
	}
}
