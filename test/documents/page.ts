import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';

/** A fenced block. */
export interface Block {
  /** The line of its opening fence, from 1. */
  line: number;
  /** What follows the opening fence: `sh run`, `json`. */
  info: string;
  text: string;
}

/** A block of commands that the tests run, and the block after it that shows what they print. */
export interface Example {
  line: number;
  commands: string;
  /** Whether it installs a program, which then stays there for all pages. */
  installs: boolean;
  /** The exit code that its last command must have. */
  exitCode: number;
  /** Null if nothing follows that shows what it prints. */
  output: Block | null;
}

/** A Markdown file. */
export interface Page {
  /** Its path in the repository. */
  file: string;
  lines: string[];
  blocks: Block[];
}

/** Every Markdown file of the repository, except the samples that are imported. */
export const PAGE_FILES = globSync(['*.md', 'docs/**/*.md'], {
  cwd: ROOT,
  exclude: ['docs/guide/samples'],
}).sort();

export function readPage(file: string): Page {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return { file, lines, blocks: blocksOf(lines) };
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^(`{3,})(.*)$/.exec(lines[at] ?? '');
    if (fence === null) continue;
    const [, ticks = '', info = ''] = fence;
    const end = lines.indexOf(ticks, at + 1);
    if (end === -1) throw new Error(`the block of line ${at + 1} does not end`);
    blocks.push({ line: at + 1, info: info.trim(), text: lines.slice(at + 1, end).join('\n') });
    at = end;
  }
  return blocks;
}

const RUN = /^sh (run|install)(?: exit=(\d+))?$/;
const isShell = (info: string) => info.split(' ')[0] === 'sh';

/**
 * The blocks of a page that are marked `sh run` (or `sh run exit=1`) or `sh install`, in order. GitHub shows a block by
 * the first word after the fence. The block that follows with nothing in between, and is no commands, is what a block
 * prints.
 */
export function examplesOf(page: Page): Example[] {
  return page.blocks.flatMap((block, index) => {
    const run = RUN.exec(block.info);
    if (run === null) return [];
    const next = page.blocks[index + 1];
    return [
      {
        line: block.line,
        commands: block.text,
        installs: run[1] === 'install',
        exitCode: Number(run[2] ?? 0),
        output: next !== undefined && !isShell(next.info) && isNext(page, block, next) ? next : null,
      },
    ];
  });
}

/** The settings of the block of a page that starts the service, and the block after it. Null if the page has no such block. */
export function startBlock({ blocks }: Page) {
  const index = blocks.findIndex(({ info }) => info === 'sh start');
  const block = blocks[index];
  if (block === undefined) return null;
  const [, settings = ''] = /^((?:\w+=\S+ )+)npm start$/m.exec(block.text) ?? [];
  const env = settings
    .trim()
    .split(' ')
    .map((setting) => setting.split('=', 2));
  return { env: Object.fromEntries(env) as Record<string, string>, output: blocks[index + 1]?.text ?? '' };
}

function isNext(page: Page, block: Block, next: Block): boolean {
  const end = block.line + block.text.split('\n').length + 1;
  return page.lines.slice(end, next.line - 1).every((line) => line === '');
}

/** The files that a page links to, relative to the root, in order and without anchors. */
export function linkedFiles(page: Page): string[] {
  return linksOf(page).flatMap(({ file }) => (file === null ? [] : [file]));
}

/** A link or picture of a page. */
export interface Link {
  line: number;
  target: string;
  /** The file in the repository, null for an address elsewhere. */
  file: string | null;
  /** What follows the #, or null. */
  anchor: string | null;
}

/** The links and pictures of a page, outside code. */
export function linksOf(page: Page): Link[] {
  return proseOf(page).flatMap(([line, text]) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return { line, target, file: null, anchor: null };
      const [path = '', anchor = null] = target.split('#');
      return { line, target, file: path === '' ? page.file : join(page.file, '..', path), anchor };
    }),
  );
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(page: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, text] of proseOf(page, { withCode: true })) {
    const heading = /^#{1,6} (.+)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let copy = 1; anchors.has(unique); copy += 1) unique = `${anchor}-${copy}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The lines outside blocks, each with its number; without `withCode`, what is in backticks is left out. */
export function proseOf(page: Page, { withCode = false } = {}): [line: number, text: string][] {
  const inBlock = new Set(
    page.blocks.flatMap(({ line, text }) =>
      Array.from({ length: text.split('\n').length + 2 }, (_, index) => line + index),
    ),
  );
  return page.lines.flatMap((text, index) =>
    inBlock.has(index + 1) ? [] : [[index + 1, withCode ? text : text.replaceAll(/`[^`]*`/g, '``')]],
  );
}
