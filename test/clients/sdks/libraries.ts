import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentProgram } from '../frame/agent-story.ts';
import { folderOf, type Program } from '../frame/programs.ts';
import { type CallerProgram, REVOKED } from '../frame/story.ts';
import { callerOf, type ProtocolClient } from './client.ts';

/** Copies a program of this folder to where its packages are. Returns its path there. */
async function place(file: string, program: Program): Promise<string> {
  const path = join(folderOf(program), file);
  await copyFile(join(import.meta.dirname, file), path);
  return path;
}

/** A library for agents, by a program of this folder that uses it. */
const agentLibrary = (name: string, program: Program, file: string): AgentProgram => ({
  name,
  program,
  inGuide: false,
  command: 'node "$SCRIPT"',
  refusal: REVOKED,
  prepare: async (_room, { mcp }, model) => ({
    SCRIPT: await place(file, program),
    MCP: mcp,
    MODEL: model,
    // The library for agents of OpenAI reads these.
    OPENAI_BASE_URL: `${model}/v1`,
    OPENAI_API_KEY: 'none',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  }),
});

/** A version of the library of the protocol itself. */
const protocolLibrary = (name: string, program: Program): CallerProgram => ({
  name,
  program,
  inGuide: false,
  refusal: REVOKED,
  open: async ({ mcp, token }) => {
    const { href } = pathToFileURL(await place('protocol.mjs', program));
    const { connect } = (await import(href)) as {
      connect: (url: string, token: string) => Promise<ProtocolClient>;
    };
    return callerOf(await connect(mcp, token));
  },
});

export const agentLibraries: AgentProgram[] = [
  agentLibrary('AI SDK', 'ai-sdk', 'ai.mjs'),
  agentLibrary('LangChain', 'langchain', 'langchain.mjs'),
  agentLibrary('Mastra', 'mastra', 'mastra.mjs'),
  agentLibrary('OpenAI Agents SDK', 'openai-agents', 'openai-agents.mjs'),
];

export const protocolLibraries: CallerProgram[] = [
  protocolLibrary('MCP SDK', 'sdk-new'),
  protocolLibrary('MCP SDK, an old version', 'sdk-old'),
];
