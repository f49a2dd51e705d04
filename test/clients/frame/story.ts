import assert from 'node:assert/strict';
import type { Place } from './guide.ts';
import type { Program } from './programs.ts';
import { testsOf } from './results.ts';
import { type ListeningService, TOOLS } from './service.ts';

/** A program that lists and calls tools itself. */
export interface ToolCaller {
  list: () => Promise<string[]>;
  /** Calls a tool. Returns the text of its result. */
  call: (tool: string, args: Record<string, unknown>) => Promise<string>;
  close?: () => Promise<void>;
}

/** How such a program is driven. */
export interface CallerProgram {
  /** The name that people give it. */
  name: string;
  program: Program;
  /** Whether the guide has its command. */
  inGuide: boolean;
  /** @throws Error with what the program says if it cannot connect; some say it only when they list */
  open: (place: Place) => Promise<ToolCaller>;
  /** What it says when its token was revoked. */
  refusal: RegExp;
}

/** The value of a result of a tool. Programs show it as JSON, with other words around it or inside the protocol's result. */
export function valueOf(text: string): Record<string, unknown> {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  assert.ok(start !== -1 && end > start, `no JSON in: ${text}`);
  const shown = JSON.parse(text.slice(start, end + 1)) as unknown;
  const { structuredContent, content } = shown as {
    structuredContent?: Record<string, unknown>;
    content?: unknown[];
  };
  if (structuredContent !== undefined) return structuredContent;
  const list = Array.isArray(shown) ? shown : content;
  const [first] = (list ?? []) as { text?: string }[];
  return first?.text === undefined ? (shown as Record<string, unknown>) : valueOf(first.text);
}

/** Whether the results of a search have a text. */
export function hasFound(text: string, sought: string): boolean {
  const { results } = valueOf(text) as { results: { text: string }[] };
  return results.some((result) => result.text.includes(sought));
}

/** The reason that the service gives for a revoked token. Most programs show it. */
export const REVOKED = /[^"\\:]*revoked[^"\\]*/;

/** The first match in the output of a program. */
export function partOf(output: string, wanted: RegExp): string {
  const [part] = wanted.exec(output) ?? [];
  assert.ok(part !== undefined, `no ${wanted} in:\n${output}`);
  return part.trim();
}

async function refusalOf({ open, refusal }: CallerProgram, place: Place): Promise<string> {
  const said = await open(place).then(
    (caller) =>
      caller
        .list()
        .then(
          (tools) => assert.fail(`listed ${tools.join(', ')} with a revoked token`),
          (error: unknown) => String(error),
        )
        .finally(() => caller.close?.()),
    (error: unknown) => String(error),
  );
  return partOf(said, refusal);
}

/** Defines the tests of programs that list and call tools. */
export function testCallers(
  kind: string,
  programs: readonly CallerProgram[],
  { mcp, newToken, revokedToken }: ListeningService,
): void {
  for (const program of programs) {
    const { name } = program;
    const define = testsOf(kind, name, program.program);
    const use = async (story: (caller: ToolCaller) => Promise<void>) => {
      const caller = await program.open({ mcp, token: await newToken() });
      await story(caller).finally(() => caller.close?.());
    };

    define('lists', 'lists the tools', async () => {
      await use(async (caller) => assert.deepEqual((await caller.list()).sort(), TOOLS));
      return program.inGuide ? 'yes, as in the guide' : 'yes';
    });

    define('searches, remembers', 'remembers a text and finds it', () =>
      use(async ({ call }) => {
        const text = `The heron that ${name} has seen nests on the crane.`;
        const { status } = valueOf(await call('remember', { text }));
        assert.equal(status, 'created');
        assert.ok(hasFound(await call('search', { query: `heron ${name} nests`, limit: 1 }), text));
      }),
    );

    define('forgets, takes back', 'forgets a text and takes it back', () =>
      use(async ({ call }) => {
        const text = `The otter that ${name} has seen sleeps under the pier.`;
        const search = async () =>
          hasFound(await call('search', { query: `otter ${name} sleeps`, limit: 1 }), text);
        const { id } = valueOf(await call('remember', { text }));
        assert.equal(valueOf(await call('forget', { id }))['status'], 'archived');
        assert.equal(await search(), false);
        assert.equal(valueOf(await call('forget', { id, undo: true }))['status'], 'restored');
        assert.equal(await search(), true);
      }),
    );

    define('revoked token', 'says why a revoked token is refused', async () => {
      return refusalOf(program, { mcp, token: await revokedToken() });
    });
  }
}
