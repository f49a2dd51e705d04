import { join } from 'node:path';
import { type Document, drawDocument } from '../../documents/documents.ts';
import type { Block } from '../../documents/draw.ts';
import type { Expected, ExpectedTable } from '../judge.ts';
import type { Made } from '../samples.ts';

const headless = (document: Document): Document => ({ ...document, header: '', footer: '' });

function* textsOf(blocks: readonly Block[]): Generator<string> {
  for (const block of blocks) {
    if (block.is === 'list') yield* block.items;
    else if (block.is === 'contents') yield* block.rows.map((row) => row.join(' '));
    else if (block.is === 'code') yield block.lines.join('\n');
    else if (block.is === 'columns') yield* textsOf(block.blocks);
    else if (block.is === 'beside') yield* textsOf(block.sides.flat());
    else if (block.is !== 'table') yield block.text;
  }
}

/** What a reader must find of blocks. Numbers of lists are not judged, because formats leave them to the program. */
export function expectedOf(blocks: readonly Block[], more: Partial<Expected> = {}): Expected {
  const tables = blocks.flatMap((block): ExpectedTable[] => {
    if (block.is !== 'table') return [];
    const [labels = [], ...rows] = block.rows;
    return [block.head ? { labels, rows } : { labels: [], rows: block.rows }];
  });
  return { texts: [...textsOf(blocks)], tables, ...more };
}

/** A drawn document, and the path of its file without the extension. */
export interface Drawn {
  name: string;
  path: string;
  document: Document;
}

/** Documents of kinds such as `prose` or, in another language, `prose/ar`. */
export function drawAll(seed: string, kinds: string, work: string): Drawn[] {
  return kinds.split(/\s+/).map((of, at) => {
    const [kind = '', language = 'en'] = of.split('/');
    const name = `${kind}-${language}-${at + 1}`;
    return {
      name,
      path: join(work, name),
      document: headless(drawDocument(`${seed}-${name}`, kind, language)),
    };
  });
}

/** The files that were made of drawn documents. */
export const madeOf = (
  drawn: readonly Drawn[],
  kind: string,
  extension = kind,
  more: Partial<Expected> = {},
): Made[] =>
  drawn.map(({ name, path, document }) => ({
    kind,
    name: `${name}-${extension.replaceAll('.', '-')}`,
    path: `${path}.${extension}`,
    expected: expectedOf(document.blocks, more),
  }));
