import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractJson } from '../../../worker/extract/json.ts';
import { findJsonFault } from '../../../worker/extract/json-value.ts';
import { cutText } from '../../support/cut-text.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';

const read = (value: unknown) => textOf(extractJson, JSON.stringify(value));
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

describe('a JSON file', () => {
  test('becomes a line for each value, after the keys that lead to it', async () => {
    const { title, parts } = await extracted(
      extractJson,
      '{"name":"Pump","price":1.50,"made":{"city":"Aachen","by":{"name":"Anna"}},"tags":["a","b",3],"sold":true}',
    );
    assert.deepEqual(
      [title, parts],
      [
        null,
        [
          {
            text: 'name: Pump\nprice: 1.50\n\nmade.city: Aachen\n\nmade.by.name: Anna\n\ntags: a, b, 3\n\nsold: true',
            place: null,
          },
        ],
      ],
    );
  });

  test('keeps the values of a record together and separates records', async () => {
    assert.equal(
      await read([
        { id: 1, at: { city: 'Aachen' }, parts: [{ sku: 'A' }, { sku: 'B' }] },
        { id: 2, at: { city: 'Bonn' } },
      ]),
      'id: 1\nat.city: Aachen\nparts[0].sku: A\nparts[1].sku: B\n\nid: 2\nat.city: Bonn',
    );
    assert.equal(await read({ list: [{ id: 1 }, { id: 2 }] }), 'list.id: 1\n\nlist.id: 2');
  });

  test('keeps numbers as written', async () => {
    assert.equal(
      await textOf(extractJson, '{"a":12345678901234567890,"b":19.90,"c":-0,"d":1E+400,"e":[1.10,0.1e-7]}'),
      'a: 12345678901234567890\nb: 19.90\nc: -0\nd: 1E+400\n\ne: 1.10, 0.1e-7',
    );
  });

  test('keeps long texts with their line breaks and codes', async () => {
    const long = `first line\nsecond ${'word '.repeat(200)}\n\nthird line AB-0042`;
    assert.equal(await read({ note: long }), `note: ${long}`);
    assert.equal(await read({ notes: [long, 'short'] }), `notes: ${long}\n\nnotes: short`);
  });

  test('omits empty values', async () => {
    assert.equal(await read({ a: null, b: '', c: ' \n', d: [], e: {}, f: [null, ''], g: 0 }), 'g: 0');
    for (const empty of [null, '', [], {}, [[], {}]]) assert.equal(await read(empty), '');
  });

  test('can be a single value, in any script', async () => {
    assert.equal(await read('水泵 漏水'), '水泵 漏水');
    assert.equal(await read(42), '42');
    assert.equal(await read(['مضخة', 'ปั๊ม']), 'مضخة, ปั๊ม');
    assert.equal(await read({ 城市: '亚琛' }), '城市: 亚琛');
  });

  test('can have keys of any kind, and repeated keys', async () => {
    assert.equal(
      await textOf(extractJson, '{"__proto__":{"x":1},"constructor":"c","":5,"a b":6,"k":7,"k":8}'),
      '__proto__.x: 1\n\nconstructor: c\n5\na b: 6\nk: 8',
    );
  });

  test('can be UTF-16 with a byte order mark', async () => {
    assert.equal(await textOf(extractJson, Buffer.from('\ufeff{"a":"é"}', 'utf16le')), 'a: é');
  });

  test('gives no characters that cannot be stored', async () => {
    assert.equal(
      await textOf(extractJson, '{"a\\u0000":"b\\ud800\\u0000c\\udc00"}'),
      'a\ufffd: b\ufffd\ufffdc\ufffd',
    );
  });

  test('makes no headings from Markdown in its texts', async () => {
    const text = await read([{ body: 'x\n# A\nB\n===\n```\n# code' }, { body: 'y' }]);
    const pieces = cutText(`# Data\n\n${text}\n\n# End\n\nz`);
    assert.deepEqual([...new Set(pieces.map(({ headings }) => headings.join()))], ['Data', 'End']);
  });

  test('is read when nested 500 levels deep', async () => {
    assert.equal(await textOf(extractJson, nested(500)), '1');
    assert.match(
      await textOf(extractJson, '{"a":'.repeat(500) + '1' + '}'.repeat(500)),
      /^(?:a\.){499}a: 1$/,
    );
  });
});

describe('a file that is not valid JSON', () => {
  test('fails with too_deep if it is nested too deeply, at any depth', async () => {
    for (const text of [nested(501), nested(100_000), '['.repeat(1_000_000), '{"a":'.repeat(100_000)]) {
      assert.equal((await faultOf(extractJson, text)).code, 'too_deep');
    }
  });

  test('fails with the place of the error, without the content', async () => {
    for (const [text, place] of [
      ['{"a": secret}', 'line 1, position 7'],
      ['{\n  "a": 1,\n}', 'line 3, position 1'],
      ['{"a" 1}', 'line 1, position 6'],
      ["{'a': 1}", 'line 1, position 2'],
      ['[1, 2] secret', 'line 1, position 8'],
      ['[01]', 'line 1, position 3'],
      ['["a\nsecret"]', 'line 1, position 4'],
      ['["\\x"]', 'line 1, position 3'],
      ['[1\n,,2]', 'line 2, position 2'],
      ['NaN', 'line 1, position 1'],
      ['// secret\n{}', 'line 1, position 1'],
      ['[1}', 'line 1, position 3'],
      ['{"a":1', 'too early'],
      ['"abc', 'too early'],
      ['nul', 'line 1, position 1'],
      ['', 'too early'],
    ] as const) {
      const { code, message } = await faultOf(extractJson, text);
      assert.equal(code, 'invalid_json', text);
      assert.ok(message.includes(place), `${text}: ${message}`);
      assert.doesNotMatch(message, /secret/);
    }
  });

  test('fails for an unknown encoding and for binary data', async () => {
    assert.equal((await faultOf(extractJson, Buffer.from('"caf\u00e9"', 'latin1'))).code, 'invalid_encoding');
    assert.equal((await faultOf(extractJson, '"a\0"')).code, 'not_text');
  });

  test('fails if its keys make more text than can be stored', async () => {
    const value = { ['k'.repeat(100_000)]: Array.from({ length: 1_100 }, (_, id) => ({ id })) };
    assert.equal((await faultOf(extractJson, JSON.stringify(value))).code, 'too_many_chunks');
  });
});

const bare = (text: string) =>
  text
    .replace(/\\(?=[#=-])/g, '')
    .replace(/\s+/g, ' ')
    .trim();

function* leaves(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) yield* leaves(member);
  } else if (typeof value === 'string' || typeof value === 'number') {
    yield String(value);
  }
}

test('every string and number of any value is found again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 5, depthSize: 'medium', stringUnit: 'grapheme' }),
      fc.constantFrom(undefined, 2),
      async (value, indent) => {
        const json = JSON.stringify(value, null, indent).replaceAll('\\u0000', '');
        const text = bare(await textOf(extractJson, json));
        for (const leaf of leaves(JSON.parse(json))) assert.ok(text.includes(bare(leaf)), leaf);
      },
    ),
    { numRuns: 300 },
  );
});

test('the place of an error is named exactly when JSON.parse refuses the text', () => {
  const fragment = fc.constantFrom(
    ...'{}[],:" \n\\-.0123e+'.split(''),
    '"a"',
    '"\\n"',
    '"\\u00e9"',
    'true',
    'false',
    'null',
    '1.5',
    '-2e3',
    '{"a":',
    '[1,',
    '\u00a0',
    '\ufeff',
  );
  const text = fc.oneof(
    fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.tuple(fc.json(), fc.nat(), fragment).map(([json, at, put]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + put + json.slice(place + 1);
    }),
  );
  const isJson = (json: string) => {
    try {
      JSON.parse(json);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(text, (json) => {
      assert.equal(findJsonFault(json, 500) === null, isJson(json), json);
    }),
    { numRuns: 2_000 },
  );
});

test('a damaged file is read, or refused with a reported fault', () =>
  assertDamageIsTold(
    extractJson,
    '[{"name":"水泵","n":[1,2.50,{"x":null}]},{"name":"a\\u00e9\\n","ok":true}]',
  ));

test('the reading process reads JSON', async (t) => {
  const { parts } = await extractedInProcess(t, 'application/json', '{"id":12345678901234567890}');
  assert.deepEqual(parts, [{ text: 'id: 12345678901234567890', place: null }]);
});
