import { randomBytes } from 'node:crypto';
import type { Capture } from '../../shared/schemas/consolidation.ts';
import type { NameLayer } from '../client/layers.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { checkItems, type Item } from './items.ts';

/*
 * A batch as a text for an editor. A block of the text is an item: a line with the numbers of its captures, lines with
 * its action, title and tags, an empty line, and its content. Each text has a marker of its own in the lines that begin a
 * block. A capture cannot know it, so no line of a summary is ever read as an item.
 */

const FIELDS = ['action', 'title', 'tags'] as const;

/** A text to edit, and the marker in the lines that begin its blocks. */
export interface Draft {
  text: string;
  marker: string;
}

const beginning = (marker: string) => `=== ${marker} captures `;
const comment = (marker: string) => `# ${marker} capture `;

/** The text to edit: a block for each capture, with its summary as the content. */
export function draftOf(captures: readonly Capture[], nameLayer: NameLayer): Draft {
  const marker = randomBytes(4).toString('hex');
  const head = [
    '# Write a memory in each block below: its title, and its content after the empty line.',
    '# The action is publish, review (a person decides later) or discard (nothing to remember).',
    `# A block begins with a line such as "${beginning(marker)}1, 2". It can name several captures.`,
    '# A capture can be in several blocks.',
    '# Captures without a block are left for later. Save the text unchanged, or empty, to release all of them.',
  ];
  const blocks = captures.map(({ sessionId, sequence, clientId, summary }, index) =>
    [
      `${comment(marker)}${index + 1}: session ${oneLine(sessionId)}${sequence === null ? '' : `, part ${sequence}`}, ${oneLine(nameLayer(clientId))}`,
      `${beginning(marker)}${index + 1}`,
      'action: review',
      'title: ',
      'tags: ',
      '',
      summary.trim(),
    ].join('\n'),
  );
  return { text: `${[head.join('\n'), ...blocks].join('\n\n')}\n`, marker };
}

/** The ids of the captures that the first line of a block names by their numbers. */
function captureIds(numbers: string, captures: readonly Capture[]): string[] {
  return numbers
    .split(/[\s,]+/)
    .filter((text) => text !== '')
    .map((text) => {
      const capture = captures[Number(text) - 1];
      if (capture === undefined) throw new CommandError(`there is no capture ${oneLine(text)} in the batch`);
      return capture.id;
    });
}

function parseBlock(block: string, captures: readonly Capture[]): Record<string, unknown> {
  const [numbers = '', ...lines] = block.split('\n');
  const fields: Partial<Record<(typeof FIELDS)[number], string>> = {};
  let line = lines.shift();
  for (; line !== undefined && line.trim() !== ''; line = lines.shift()) {
    const field = FIELDS.find((name) => line?.startsWith(`${name}:`));
    if (field === undefined)
      throw new CommandError(`expected action, title or tags before the empty line, not: ${oneLine(line)}`);
    fields[field] = line.slice(field.length + 1).trim();
  }
  const { action, title, tags } = fields;
  const item = { captureIds: captureIds(numbers, captures), action };
  if (action === 'discard') return item;
  const tagList = (tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    ...item,
    title,
    content: lines.join('\n').trim(),
    ...(tagList.length === 0 ? {} : { tags: tagList }),
  };
}

/**
 * Reads the items in an edited text.
 * @param marker that of the draft
 * @throws CommandError that says what to correct
 */
export function parseDraft(text: string, marker: string, captures: readonly Capture[]): Item[] {
  const blocks: string[] = [];
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const last = blocks.length - 1;
    if (line.startsWith(beginning(marker))) blocks.push(line.slice(beginning(marker).length));
    else if (last < 0 && line.trim() !== '' && !line.startsWith('#'))
      throw new CommandError(`expected "${beginning(marker)}1" or another number before: ${oneLine(line)}`);
    // A heading of Markdown in a content begins with # too. Only our own comments are left out.
    else if (last >= 0 && !line.startsWith(comment(marker))) blocks[last] += `\n${line}`;
  }
  return checkItems(
    blocks.map((block) => parseBlock(block, captures)),
    captures,
    'the editor',
  );
}
