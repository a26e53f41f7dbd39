#!/usr/bin/env node
// 😀 smile
function afterEmoji() {
	return "ü😀";
}
