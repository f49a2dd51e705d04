import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodingLines,
  type Outcome,
  outcomeTable,
  similarLines,
  summary,
  unreadLines,
} from '../../cli/import/report.ts';
import { columns } from '../../cli/terminal/columns.ts';

const WHY = 'a reason that is much longer than what is left of the line beside the name of its file';

function failed(name: string, why = WHY): Outcome {
  return { name, state: 'failed', why };
}

test('the report table fits the width of the terminal for any file name', () => {
  const names = [
    'short.txt',
    'a/very/long/path/'.repeat(9),
    '会议记录'.repeat(20),
    '\u202eevil\u0007.txt',
    '👩‍🚀'.repeat(30),
  ];
  for (const width of [30, 57, 80, 200]) {
    const lines = outcomeTable(
      names.map((name) => failed(name)),
      width,
    );
    for (const line of lines) assert.ok(columns(line) <= width, `${columns(line)} of ${width}: ${line}`);
    assert.ok(!/[\p{Cc}\u202e]/u.test(lines.join('')));
    // Behind names of any width the reasons stand in one column.
    const starts = lines.flatMap((line) => {
      const at = line.indexOf('a reason');
      return at < 0 ? [] : [columns(line.slice(0, at))];
    });
    assert.deepEqual([starts.length, new Set(starts).size], [names.length, 1]);
  }
});

test('the report table lists failed files last, by name, and groups skipped files', () => {
  const skipped = Array.from({ length: 1000 }, (_, place): Outcome => {
    return { name: `${1000 + place}.png`, state: 'skipped', why: '.png files cannot be imported' };
  });
  const there: Outcome = { name: 'c', state: 'there' };
  const table = outcomeTable([failed('b', 'x'), ...skipped, failed('a', 'y'), there], 80);
  assert.deepEqual(
    table.map((line) => line.replaceAll(/ {2,}/g, ' | ')),
    [
      'what | file | why',
      'skipped | 1000.png and 999 more | .png files cannot be imported',
      'failed | a | y',
      'failed | b | x',
    ],
  );
  assert.deepEqual(outcomeTable([there], 80), []);
});

test('the report summary counts each outcome, files not reached and files left out', () => {
  const none = { hidden: 0, installed: 0, links: 0, special: 0 };
  const imported: Outcome = { name: 'a', state: 'imported' };
  for (const [outcomes, files, leftOut, expected] of [
    [[], 0, none, '0 files.'],
    [[imported], 1, none, '1 file: 1 imported.'],
    [[{ ...imported, credentials: 2 }], 1, none, '1 file: 1 imported. Credentials were found in a.'],
    [
      [{ name: 'a', state: 'there' }, failed('b')],
      5,
      { ...none, hidden: 2, links: 1 },
      '5 files: 1 already imported, 1 failed, 3 not reached. Left out: 2 hidden, 1 linked.',
    ],
  ] as const)
    assert.equal(summary(outcomes, files, leftOut), expected);
});

test('the report names the imported files that are the same or nearly the same as other sources, up to twenty', () => {
  const similar = (name: string): Outcome => ({
    name,
    state: 'imported',
    similarTo: { sourceId: 'an-id', title: 'Old\nplan', similarity: 0.934 },
  });
  const lines = similarLines(Array.from({ length: 23 }, (_, n) => similar(`${n}.md`)));
  assert.deepEqual([lines.length, lines.at(-1)], [22, '  and 3 more']);
  const sameAs = { sourceId: 'its-id', title: 'The\nplan' };
  const same: Outcome = { name: 'b', state: 'imported', sameAs };
  assert.deepEqual(similarLines([similar('plan.md'), same, { name: 'd', state: 'imported' }, failed('c')]), [
    'Imported, but with the text of other sources:',
    '  b: same as The plan (its-id)',
    'Imported, but nearly the same as other sources:',
    '  plan.md: 93 % the same as Old plan (an-id)',
  ]);
  assert.deepEqual(similarLines([failed('c')]), []);
});

test('the report lists what was not read of imported files, on one line each', () => {
  const unread: Outcome = {
    name: 'scan\n.pdf',
    state: 'imported',
    unread: [{ kind: 'attachment', names: ['a\u001b[2J.txt'], reason: 'not_read' }],
  };
  assert.deepEqual(unreadLines([failed('b'), { name: 'c', state: 'imported' }]), []);
  const many = unreadLines(Array.from({ length: 21 }, () => unread));
  assert.deepEqual(many.slice(0, 2), [
    'Imported, but not read in full:',
    '  scan .pdf: attachment a[2J.txt (not read)',
  ]);
  assert.deepEqual([many.length, many.at(-1)], [22, '  and 1 more']);
});

test('the report lists the files that are not in UTF-8, with the encoding that was detected', () => {
  const old: Outcome = { name: 'old\n.txt', state: 'imported', encoding: 'windows-1252' };
  assert.deepEqual(encodingLines([failed('b'), { name: 'c', state: 'imported' }]), []);
  assert.deepEqual(encodingLines([old]), [
    'Imported, not as UTF-8 but in the encoding that was detected:',
    '  old .txt: windows-1252',
  ]);
});
