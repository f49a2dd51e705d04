import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { storedUnread, type Unread } from '../../../shared/schemas/unread.ts';
import type { RedactionMode } from '../../../shared/settings/team-settings.ts';
import { fieldsNow } from '../../../shared/text/prepared-chunks.ts';
import { prepareDocument } from '../../../worker/extract/document.ts';
import { SecretFault } from '../../../worker/extract/extraction.ts';

const prepare = (unread: readonly Unread[], mode: RedactionMode = 'off') =>
  prepareDocument(
    { title: null, parts: [{ text: 'The heron nests.', place: null }], unread },
    newId(),
    fieldsNow('x'),
    mode,
  );
const attachments = (...names: Unread['names']): Unread => ({
  kind: 'attachment',
  names,
  reason: 'not_read',
});

describe('what an extractor did not read', () => {
  it('is one entry for each kind and reason, with each name once and numbers in order', () => {
    const page = (number: number, reason: string): Unread => ({ kind: 'page', names: [number], reason });
    assert.deepEqual(prepare([page(7, 'no_text'), page(2, 'damaged'), page(3, 'no_text')]).unread, [
      { kind: 'page', names: [3, 7], reason: 'no_text' },
      { kind: 'page', names: [2], reason: 'damaged' },
    ]);
    assert.deepEqual(prepare([attachments('b', 'a', 'b'), attachments()]).unread, [attachments('b', 'a')]);
    assert.deepEqual(prepare([attachments()]).unread, []);
  });

  it('has names of one line that can be stored', () => {
    const { unread } = prepare([
      attachments(' a\n\tb ', 'c\0\ud800', '\u2028', 'x'.repeat(5000), 1.5, '1.5 '),
    ]);
    assert.deepEqual(unread, [attachments('a b', 'c\ufffd\ufffd', 'without a name', 'x'.repeat(200), '1.5')]);
  });

  it('says how many names were left out of a long list', () => {
    const numbers = Array.from({ length: 5320 }, (_, index) => index + 1);
    const [entry] = prepare([{ kind: 'page', names: numbers, reason: 'no_text' }]).unread;
    assert.deepEqual(entry?.names, [...numbers.slice(0, 999), 'and 4,321 more']);
    const whole = numbers.slice(0, 1000);
    assert.deepEqual(prepare([attachments(...whole)]).unread, [attachments(...whole)]);
  });

  it('keeps within the bounds that its parent checks', () => {
    const many = Array.from({ length: 60 }, (_, index): Unread => {
      const names = Array.from({ length: 1500 }, (_, name) => `${index} ${name} ${'ß'.repeat(300)}`);
      return { kind: 'part', names, reason: `code_${index}` };
    });
    const { unread } = prepare(many);
    assert.equal(unread.length, 50);
    assert.deepEqual(storedUnread(unread), unread);
  });

  it('has its names searched for credentials before they are cut', () => {
    const token = ['gh', 'p_', 'aB3'.repeat(12)].join('');
    const long = `${'x'.repeat(179)} ${token}`;
    const given = [attachments('a.txt', `${token}.txt`, long)];
    const masked = prepare(given, 'redact');
    assert.deepEqual(masked.unread, [
      attachments('a.txt', '[redacted: github].txt', `${'x'.repeat(179)} [redacted: github]`),
    ]);
    const findings = ({ redactions }: typeof masked) =>
      redactions.map(({ rule, path, start, end }) => [rule, path, start, end]);
    const expected = [
      ['github', '/unread', 0, 40],
      ['github', '/unread', 180, 220],
    ];
    assert.deepEqual(findings(masked), expected);
    const flagged = prepare(given, 'flag');
    assert.deepEqual(findings(flagged), expected);
    assert.deepEqual(flagged.unread, [attachments('a.txt', `${token}.txt`, long.slice(0, 200))]);
    assert.deepEqual(prepare(given, 'off').redactions, []);
    assert.throws(() => prepare(given, 'refuse'), SecretFault);
  });
});
