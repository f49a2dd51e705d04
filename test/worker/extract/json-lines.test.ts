import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractJsonLines } from '../../../worker/extract/json.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';

describe('lines of JSON', () => {
  test('each become a record', async () => {
    const { title, parts } = await extracted(
      extractJsonLines,
      '{"id":1,"at":{"city":"亚琛"},"parts":[{"sku":"A"}]}\n{"id":12345678901234567890}\n"ปั๊ม"\n[1,"مضخة"]\n',
    );
    assert.deepEqual(
      [title, parts],
      [
        null,
        [
          {
            text: 'id: 1\nat.city: 亚琛\nparts[0].sku: A\n\nid: 12345678901234567890\n\nปั๊ม\n\n1, مضخة',
            place: null,
          },
        ],
      ],
    );
  });

  test('can have Windows line ends, blank lines and no final line break', async () => {
    assert.equal(await textOf(extractJsonLines, '{"a":1}\r\n\r\n  \n{"a":2}'), 'a: 1\n\na: 2');
    assert.equal(await textOf(extractJsonLines, '\n\n'), '');
    assert.equal(await textOf(extractJsonLines, ''), '');
  });

  test('fail for a line that is not JSON, and name the line', async () => {
    const { code, message } = await faultOf(extractJsonLines, '{"a":1}\n\n{"a": secret}\n{"a":2}');
    assert.equal(code, 'invalid_json');
    assert.match(message, /^Line 3 /);
    assert.doesNotMatch(message, /secret/);
    assert.match((await faultOf(extractJsonLines, '{\n  "a": 1\n}')).message, /^Line 1 /);
  });

  test('fail for a line that is nested too deeply', async () => {
    assert.equal((await faultOf(extractJsonLines, `1\n${'['.repeat(100_000)}`)).code, 'too_deep');
  });

  test('fail for an unknown encoding', async () => {
    const { code } = await faultOf(extractJsonLines, Buffer.from('"caf\u00e9"', 'latin1'));
    assert.equal(code, 'invalid_encoding');
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

test('damaged lines are read, or refused with a reported fault', () =>
  assertDamageIsTold(extractJsonLines, '{"name":"水泵","n":[1,2.50]}\n{"name":"a\\u00e9"}\n'));

test('the reading process reads lines of JSON', async (t) => {
  const { parts } = await extractedInProcess(t, 'application/x-ndjson', '{"a":1}\n{"a":2}\n');
  assert.deepEqual(parts, [{ text: 'a: 1\n\na: 2', place: null }]);
});
