// Package dashboard is the commands that show everything that goes on: aburn web, aburn dashboard and aburn top.
package dashboard
