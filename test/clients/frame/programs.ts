import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../../support/cache.ts';

/** A program that is installed from npm, in a folder of its own. */
interface Installed {
  /** The packages, each at one version. The first one is the program. */
  packages: Readonly<Record<string, string>>;
  /** Packages whose install scripts must run: they put the binary of this machine in place. No others run. */
  scripts?: readonly string[];
}

/** The programs that the tests of this folder drive. */
export const PROGRAMS = {
  'claude-code': {
    packages: { '@anthropic-ai/claude-code': '2.1.332' },
    scripts: ['@anthropic-ai/claude-code'],
  },
  codex: { packages: { '@openai/codex': '0.171.0' } },
  copilot: { packages: { '@github/copilot': '1.0.102' } },
  opencode: { packages: { 'opencode-ai': '1.18.33' }, scripts: ['opencode-ai'] },
  'gemini-cli': { packages: { '@google/gemini-cli': '0.61.0' } },
  continue: { packages: { '@continuedev/cli': '1.5.47' } },
  cline: { packages: { cline: '3.0.65' } },
  inspector: { packages: { '@modelcontextprotocol/inspector': '2.12.0' } },
  mcporter: { packages: { mcporter: '0.12.3' } },
  'mcp-remote': { packages: { 'mcp-remote': '0.15.1' } },
  'sdk-new': { packages: { '@modelcontextprotocol/sdk': '1.32.2' } },
  'sdk-old': { packages: { '@modelcontextprotocol/sdk': '1.10.2' } },
  'ai-sdk': {
    packages: { '@ai-sdk/mcp': '2.0.99', ai: '7.0.173', '@ai-sdk/openai-compatible': '3.0.92' },
  },
  langchain: {
    packages: {
      '@langchain/mcp-adapters': '1.1.4',
      langchain: '1.5.14',
      '@langchain/anthropic': '1.5.11',
    },
  },
  mastra: { packages: { '@mastra/mcp': '2.0.0', '@mastra/core': '1.71.0' } },
  'openai-agents': { packages: { '@openai/agents': '0.20.0' } },
  'openapi-typescript': {
    packages: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript: '5.9.3' },
  },
  'hey-api': { packages: { '@hey-api/openapi-ts': '0.99.0', typescript: '5.9.3' } },
  orval: { packages: { orval: '8.38.0', typescript: '5.9.3' } },
  'llama.rn': { packages: { 'llama.rn': '0.12.9' } },
} as const satisfies Record<string, Installed>;

export type Program = keyof typeof PROGRAMS;

/** Where the programs are: outside the checkout, so that each is downloaded once. */
const PROGRAMS_FOLDER = join(CACHE, 'programs');

/** The folder in which a program is installed. */
export const folderOf = (program: Program): string => join(PROGRAMS_FOLDER, program);

/** The folder with the commands of a program. */
export const commandsOf = (program: Program): string => join(folderOf(program), 'node_modules', '.bin');

/** A program as an entry of the table, whatever it has. */
export const installedOf = (program: Program): Installed => PROGRAMS[program];

/** Each package of a program with the version that is installed: `ai 7.0.173`. */
export function versionsOf(program: Program): string[] {
  return Object.keys(PROGRAMS[program].packages).map((name) => {
    const file = join(folderOf(program), 'node_modules', name, 'package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    return `${name} ${version}`;
  });
}
