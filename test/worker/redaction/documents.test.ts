import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { RedactionMode } from '../../../shared/settings/team-settings.ts';
import { fieldsNow } from '../../../shared/text/prepared-chunks.ts';
import { prepareDocument } from '../../../worker/extract/document.ts';

const page = (text: string, number: number) => ({ text, place: { page: number } });
const DOCUMENT = {
  title: 'About password=hunter22',
  parts: [page('🔑 Plain.', 1), page('Set token: 4f9a0c3be71d5528aa01 now.', 2), page('The end.', 3)],
};

const prepare = (mode: RedactionMode) => prepareDocument(DOCUMENT, newId(), fieldsNow('x'), mode);
const texts = ({ chunks }: ReturnType<typeof prepare>) => chunks.map(({ text }) => text);

describe('the text of a document', () => {
  it('is masked before it is cut, and keeps its parts', () => {
    const masked = prepare('redact');
    assert.equal(masked.title, 'About password=[redacted: password]');
    assert.deepEqual(texts(masked), ['🔑 Plain.', 'Set token: [redacted: secret-value] now.', 'The end.']);
    assert.deepEqual(
      masked.chunks.map(({ place }) => place.page),
      [1, 2, 3],
    );
    assert.notDeepEqual(masked.contentHash, prepare('off').contentHash);
  });

  it('has findings at code points of all parts, with a blank line between them', () => {
    const { redactions } = prepare('flag');
    assert.deepEqual(
      redactions.map(({ rule, path, start, end }) => [rule, path, start, end]),
      [
        ['password', '/documentTitle', 15, 23],
        ['secret-value', '/text', 21, 41],
      ],
    );
    const whole = [...DOCUMENT.parts.map(({ text }) => text).join('\n\n')];
    assert.equal(whole.slice(21, 41).join(''), '4f9a0c3be71d5528aa01');
    assert.deepEqual(texts(prepare('flag')), texts(prepare('off')));
    assert.deepEqual(prepare('off').redactions, []);
  });

  it('has a title that is searched before it is cut', () => {
    const token = ['gh', 'p_', 'aB3'.repeat(12)].join('');
    const title = `${'x'.repeat(279)} ${token}`;
    const document = prepareDocument({ ...DOCUMENT, title }, newId(), fieldsNow('x'), 'redact');
    assert.equal(document.title, `${'x'.repeat(279)} [redacted: github]`);
  });

  it('lists the first hundred findings, and masks all', () => {
    const parts = [page('password=hunter22\n'.repeat(150), 1)];
    const document = prepareDocument({ title: null, parts }, newId(), fieldsNow('x'), 'redact');
    assert.equal(document.redactions.length, 100);
    assert.ok(!texts(document).join('').includes('hunter22'));
  });
});
