// Package learn is the commands that say what keeps going wrong and what once helped.
package learn
