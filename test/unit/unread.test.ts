import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unreadLine, unreadWords } from '../../shared/formats/unread-words.ts';
import { storedUnread, type Unread } from '../../shared/schemas/unread.ts';

const pages = (names: Unread['names'], reason = 'no_text'): Unread => ({ kind: 'page', names, reason });

describe('what was not read of a file, in words', () => {
  it('names pages as ranges, and other pieces by their names', () => {
    const attachment: Unread = { kind: 'attachment', names: ['budget.xlsx'], reason: 'not_read' };
    assert.equal(
      unreadLine([pages([2, 5, 6, 7]), attachment]),
      'Not read: pages 2, 5-7 (no text: pictures or blank); attachment budget.xlsx (not read)',
    );
    assert.equal(unreadLine([]), '');
    assert.equal(unreadWords([pages([3], 'damaged')]), 'page 3 (damaged)');
    assert.equal(unreadWords([pages([3, 4], 'a_later_code')]), 'pages 3-4 (a later code)');
    assert.equal(
      unreadWords([{ kind: 'sheet', names: ['1', '2'], reason: 'damaged' }]),
      'sheets 1, 2 (damaged)',
    );
  });

  it('cuts long lists, and counts what it leaves out', () => {
    const odd = Array.from({ length: 12 }, (_, index) => 2 * index + 1);
    const ten = odd.slice(0, 10).join(', ');
    assert.equal(unreadWords([pages(odd, 'damaged')]), `pages ${ten} and 2 more (damaged)`);
    assert.equal(
      unreadWords([pages([...odd, 'and 4,321 more'], 'damaged')]),
      `pages ${ten} and 4,323 more (damaged)`,
    );
    assert.equal(
      unreadWords([pages([1, 2, 3, 'and 4,321 more'], 'damaged')]),
      'pages 1-3, and 4,321 more (damaged)',
    );
    const many = Array.from({ length: 12 }, (_, index) => pages([1], `code_${index}`));
    assert.match(unreadWords(many), /; page 1 \(code 9\); and 2 more$/);
  });
});

describe('what a process says that it did not read', () => {
  it('is used only if it is within the bounds', () => {
    const good = [pages([1, 'two'])];
    assert.deepEqual(storedUnread(good), good);
    for (const bad of [
      undefined,
      'all',
      [pages([])],
      [pages(['x'.repeat(201)])],
      [pages([1.5])],
      [pages(Array.from({ length: 1001 }, (_, index) => index))],
      Array.from({ length: 51 }, () => pages([1])),
      [pages([1], 'Not a code')],
      [{ ...pages([1]), kind: 'planet' }],
      [{ ...pages([1]), more: 'x' }],
    ])
      assert.deepEqual(storedUnread(bad), [], JSON.stringify(bad)?.slice(0, 80));
  });
});
