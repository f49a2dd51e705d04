import assert from 'node:assert/strict';
import { readPage } from '../../documents/page.ts';
import type { Room } from './room.ts';

/** The page that connects programs, and the address that its commands and its files give the service. */
const PAGE = 'docs/guide/mcp.md';
const WRITTEN_ADDRESS = /(?:\$MEMORY_API_PUBLIC_URL|http:\/\/127\.0\.0\.1:8787)\/v1\/mcp/g;
/** What stands in files for the token. */
const WRITTEN_TOKEN = 'tm_pat_…';

/** Where a program finds the service, and its credential. */
export interface Place {
  mcp: string;
  token: string;
}

const page = readPage(PAGE);

/** The commands of the table of programs, by the first cell of their rows. */
const commands = new Map(
  page.lines.flatMap((line) => {
    const [, name, command] = /^\| ([^|]+) \| `([^`]+)` \|$/.exec(line) ?? [];
    return name === undefined || command === undefined ? [] : [[name, command] as const];
  }),
);

/** The files of the page, by their paths in the home: the fence of a block names its path. */
const files = new Map(
  page.blocks.flatMap(({ info, text }) => {
    const [, path] = info.split(' ');
    return path?.includes('/') === true ? [[path.replace('~/', ''), text] as const] : [];
  }),
);

/** The names of all programs that the page connects with a command, and the paths of all its files. */
export const guided = { commands: [...commands.keys()], files: [...files.keys()] };

const placed = (text: string, { mcp, token }: Place) =>
  text.replaceAll(WRITTEN_ADDRESS, mcp).replaceAll(WRITTEN_TOKEN, token);

/** The command of the page for a program. It reads the token from AGENT_TOKEN. */
export function commandFor(name: string, place: Place): string {
  const command = commands.get(name);
  assert.ok(command, `${PAGE} has a row for ${name}`);
  // What npx would download is installed.
  return placed(command, place).replace(/^npx -y (?:@\w+\/)?/, '');
}

/** Writes a file of the page where a program reads it. */
export async function writeFileOf(path: string, room: Room, place: Place): Promise<void> {
  const text = files.get(path);
  assert.ok(text, `${PAGE} has a block for ${path}`);
  await room.write(path, placed(text, place));
}
