import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { itemLines } from '../../cli/commands/memories.ts';
import { figuresLine, outsideLines } from '../../cli/sync/report.ts';
import { columns } from '../../cli/terminal/columns.ts';
import { type Column, fields, table } from '../../cli/terminal/table.ts';
import type { ListedMemory } from '../../shared/schemas/memories.ts';
import { ROOT } from '../support/root.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const TITLE = 'How new staff get access to the gateway of the office';
const COLUMNS: readonly Column<null>[] = [
  { title: 'Source', value: () => ID, role: 'id' },
  { title: 'Kind', value: () => 'ingest' },
  { title: 'Updated', value: () => '2026-05-31' },
  { title: 'Passages', value: () => 3 },
  { title: 'Layer', value: () => 'Team layer', canShrink: true },
  { title: 'Tags', value: () => 'network, office, staff', canShrink: true },
  { title: 'Title', value: () => TITLE, canShrink: true, role: 'name' },
];

describe('a table', () => {
  test('fits 60, 80 and 200 columns with a readable name first and the whole id last', () => {
    for (const width of [60, 80, 200]) {
      const lines = table(COLUMNS, [null], width);
      assert.ok(
        lines.every((line) => columns(line) <= width),
        lines.join('\n'),
      );
      const row = lines.slice(lines.length / 2);
      assert.ok(row[0]?.startsWith(TITLE.slice(0, 22)), lines.join('\n'));
      assert.ok(row.at(-1)?.endsWith(ID), lines.join('\n'));
    }
    assert.equal(table(COLUMNS, [null], 60).length, 4, 'two lines for the heading, and two for the row');
    assert.equal(table(COLUMNS, [null], 200).length, 2);
  });

  test('cuts a name off only where its row would need another line', () => {
    const row = (width: number) => table(COLUMNS, [null], width).slice(2).join('\n');
    assert.ok(row(80).startsWith(`${TITLE}  ingest  2026-05-31\n`), row(80));
    assert.match(row(60), /^How new staff get[^…]*…  ingest  2026-05-31  3\n/);
  });

  test('has one line for each row, in the given order, without a terminal', () => {
    assert.deepEqual(
      table(COLUMNS, [null], null).map((line) => line.trim().split(/ {2,}/)),
      [
        ['Source', 'Kind', 'Updated', 'Passages', 'Layer', 'Tags', 'Title'],
        [ID, 'ingest', '2026-05-31', '3', 'Team layer', 'network, office, staff', TITLE],
      ],
    );
  });

  test('of names and values wraps long values after their names', () => {
    const lines = fields([['Stored', 'a '.repeat(60).trim()]], 60);
    assert.ok(
      lines.length > 1 && lines.every((line) => columns(line) <= 60 && /^(Stored| {6}) {2}a/.test(line)),
    );
  });
});

describe('a review', () => {
  test('shows a similar memory as the reviewer has decided since the list was read', () => {
    const similar = { memoryId: ID, state: 'review', title: 'Old', excerpt: 'a text', similarity: 0.8 };
    const item = { clientId: null, createdAt: '2026-05-31T00:00:00.000Z', tags: [], similar: [similar] };
    const shown = { title: 'A', content: 'a' };
    const lineAfter = (decided?: { outcome: string; title: string }) => {
      const decisions = new Map(decided === undefined ? [] : [[ID, decided]]);
      return itemLines(item as unknown as ListedMemory, shown, () => 'Team layer', '2 of 2', decisions).at(
        -1,
      );
    };
    assert.equal(lineAfter(), 'Similar (80 %, in review): Old: a text');
    assert.equal(lineAfter({ outcome: 'published', title: 'New' }), 'Similar (80 %): New: a text');
    const discarded = lineAfter({ outcome: 'discarded', title: 'Old' });
    assert.equal(discarded, 'Similar (80 %, discarded): Old: a text');
  });
});

describe('printed counts', () => {
  const leftOut = { hidden: 0, installed: 0, links: 0, special: 0 };

  test('agree with their nouns', () => {
    const figures = { inSync: 1, leftOut, leftOutThere: 0, outside: 1, outsideNames: ['a.txt'] };
    assert.match(figuresLine([], figures, false), /; 1 file in sync\./);
    assert.deepEqual(outsideLines({ ...figures, outsideNames: ['a', 'b/', 'c', 'd', 'e', 'f'] }), [
      'Not synced: a, b/, c, d, e and 1 more. Files of the Team belong in team/, those of a client in clients/<id>/.',
    ]);
  });

  test('are made by counted in every command, so that one is singular', () => {
    // A plural after a value, such as `${n} files`. Verbs and names of programs can end with s, too.
    const noun = String.raw`files?|changes|imports|sources|passages|chunks|memories|captures|events|rows|tables|items|checks|tokens|hits|conflicts|connections|sessions|members|clients|words|seconds|days`;
    const plural = new RegExp(
      String.raw`\$\{(?!counted|rowCount|MAX_|MIN_)[^{}]*\} (?:[a-z]+ )?(?:${noun})\b`,
      'g',
    );
    const found = globSync('cli/**/*.ts', { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(plural)].map(([text]) => `${file}: ${text}`),
    );
    // An extension, and a part of a marker: no counts.
    const known = ['${extension} files', '${marker} captures'];
    assert.deepEqual(
      found.filter((text) => !known.some((part) => text.endsWith(part))),
      [],
    );
  });
});
