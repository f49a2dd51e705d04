import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guided } from './frame/guide.ts';

test('every command and every file of the page has a program that runs it', () => {
  assert.deepEqual(guided.commands.sort(), [
    'Claude Code',
    'Cline',
    'Codex',
    'Gemini CLI',
    'GitHub Copilot CLI',
    'MCP Inspector',
    'mcp-remote',
    'mcporter',
  ]);
  assert.deepEqual(guided.files.sort(), [
    '.config/opencode/opencode.json',
    '.continue/config.yaml',
    '.cursor/mcp.json',
    '.vscode/mcp.json',
  ]);
});
