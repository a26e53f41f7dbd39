// Package mcp answers agents over the Model Context Protocol with the values that the commands print.
// What differs for an agent is stated once, at mcpAnswers.
package mcp
