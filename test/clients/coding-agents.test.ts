import '../support/needs/process.ts';
import { claudeCode } from './agents/claude-code.ts';
import { cline } from './agents/cline.ts';
import { codex } from './agents/codex.ts';
import { continueCli } from './agents/continue.ts';
import { copilot } from './agents/copilot.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { opencode } from './agents/opencode.ts';
import { testAgents } from './frame/agent-story.ts';
import { testHooks } from './frame/hooks.ts';
import { listen } from './frame/service.ts';

const service = await listen();

testAgents('Coding agents', [claudeCode, codex, copilot, geminiCli, opencode, continueCli, cline], service);
testHooks('Coding agents', [claudeCode, codex], service);
