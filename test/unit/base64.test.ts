import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { base64Length, decodeBase64 } from '../../shared/formats/base64.ts';
import { countTurns } from '../support/count-turns.ts';

/** About as long as a slice that is decoded at once. */
const SLICE = 256 * 1024;

const bytes = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 5 }), fc.constantFrom(1, 2, SLICE / 4, SLICE / 2 + 1))
  .map(([some, times]) => Buffer.concat(Array.from({ length: times }, () => Buffer.from(some))));
const blanks = fc.constantFrom('', ' ', '\n', '\r\n', '\t', '\u00a0', '\u3000', ' '.repeat(SLICE - 1));

/** A text with blanks at three places of it. */
function strewn(text: string, marks: readonly string[]): string {
  const third = Math.ceil(text.length / 3);
  return [0, 1, 2].map((part) => text.slice(part * third, (part + 1) * third) + (marks[part] ?? '')).join('');
}

describe('base64', () => {
  it('decodes text with and without padding and ignores white space', async () => {
    const marks = fc.array(blanks, { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(bytes, marks, fc.boolean(), async (content, given, padded) => {
        const text = content.toString('base64');
        const sent = strewn(padded ? text : text.replaceAll('=', ''), given);
        assert.ok((await decodeBase64(sent))?.equals(content));
        assert.equal(await base64Length(sent), content.length);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses invalid text', async () => {
    const long = 'QUJD'.repeat(SLICE / 4);
    for (const text of ['A', 'QUJD-', 'QU_D', 'QQ=', 'QQ===', '====', 'QQ==QQ==', 'QUJé', 'QU\u0001JD QUJD'])
      for (const sent of [text, long + text]) assert.equal(await decodeBase64(sent), null, text);
    assert.equal(await decodeBase64(`QQ==${' '.repeat(SLICE)}QQ==`), null);
    assert.equal(await decodeBase64(`${long}QQ==${long}`), null);
  });

  it('lets the event loop turn while it decodes a long text of white space', async () => {
    const decode = async () => assert.equal((await decodeBase64('QQ \n'.repeat(2_000_000)))?.length, 3e6);
    assert.ok((await countTurns(decode)) > 0);
  });
});
