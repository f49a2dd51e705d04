import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractJsonLines } from '../../../worker/extract/json/json.ts';
import { testFaults, testTexts, textOf } from './extraction.ts';

describe('lines of JSON', () => {
  testTexts(extractJsonLines, {
    'each become a record': [
      '{"id":1,"at":{"city":"亚琛"},"parts":[{"sku":"A"}]}\n{"id":12345678901234567890}\n"ปั๊ม"\n[1,"مضخة"]\n',
      'id: 1\nat.city: 亚琛\nparts[0].sku: A\n\nid: 12345678901234567890\n\nปั๊ม\n\n1, مضخة',
    ],
    'can have Windows line ends, blank lines and no final line break': [
      '{"a":1}\r\n\r\n  \n{"a":2}',
      'a: 1\n\na: 2',
    ],
    'can all be blank': ['\n\n', ''],
  });

  testFaults(extractJsonLines, {
    'fail for a line that is not JSON, and name the line': [
      'invalid_json',
      ['{"a":1}\n\n{"a": secret}\n{"a":2}', '1\n2\n{\n  "a": 1\n}'],
      /^Line 3 /,
      /secret/,
    ],
    'fail for a line that is nested too deeply': ['too_deep', [`1\n${'['.repeat(100_000)}`]],
    'fail for an unknown encoding': ['invalid_encoding', [Buffer.from('"x\x81y"', 'latin1')]],
  });

  test('report progress while they are read', async () => {
    const told: number[] = [];
    await extractJsonLines(Buffer.from('1\n2\n3\n4'), (share) => told.push(share));
    assert.equal(told.length, 4);
    assert.deepEqual(told, [...told].sort());
    assert.ok(told.every((share) => share > 0 && share <= 1));
  });
});

test('every record of any lines is found again, in order', async () => {
  const records = fc.array(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^\w{1,8}$/)));
  await fc.assert(
    fc.asyncProperty(records, async (values) => {
      const text = await textOf(extractJsonLines, values.map((value) => JSON.stringify(value)).join('\n'));
      const blocks = values.map((value) =>
        Object.entries(value)
          .map(([key, word]) => `${key}: ${word}`)
          .join('\n'),
      );
      assert.equal(text, blocks.filter((block) => block !== '').join('\n\n'));
    }),
  );
});
