// Package setup is the commands that put aburn into agents' settings and take it out again.
package setup
