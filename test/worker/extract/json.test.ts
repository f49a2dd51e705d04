import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractJson } from '../../../worker/extract/json/json.ts';
import { findJsonFault } from '../../../worker/extract/json/json-value.ts';
import { cutText } from '../../support/cut-text.ts';
import { faultOf, testFaults, testTexts, textOf } from './extraction.ts';

const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
const LONG = `first line\nsecond ${'word '.repeat(200)}\n\nthird line AB-0042`;

describe('a JSON file', () => {
  testTexts(extractJson, {
    'becomes a line for each value, after the keys that lead to it': [
      '{"name":"Pump","price":1.50,"made":{"city":"Aachen","by":{"name":"Anna"}},"tags":["a","b",3],"sold":true}',
      'name: Pump\nprice: 1.50\n\nmade.city: Aachen\n\nmade.by.name: Anna\n\ntags: a, b, 3\n\nsold: true',
    ],
    'keeps the values of a record together and separates records': [
      '[{"id":1,"at":{"city":"Aachen"},"parts":[{"sku":"A"},{"sku":"B"}]},{"id":2,"at":{"city":"Bonn"}}]',
      'id: 1\nat.city: Aachen\nparts[0].sku: A\nparts[1].sku: B\n\nid: 2\nat.city: Bonn',
    ],
    'separates the records of a list within it': ['{"list":[{"id":1},{"id":2}]}', 'list.id: 1\n\nlist.id: 2'],
    'keeps numbers as written': [
      '{"a":12345678901234567890,"b":19.90,"c":-0,"d":1E+400,"e":[1.10,0.1e-7]}',
      'a: 12345678901234567890\nb: 19.90\nc: -0\nd: 1E+400\n\ne: 1.10, 0.1e-7',
    ],
    'keeps long texts with their line breaks and codes': [
      JSON.stringify({ note: LONG, notes: [LONG, 'short'] }),
      `note: ${LONG}\n\nnotes: ${LONG}\n\nnotes: short`,
    ],
    'omits empty values': ['{"a":null,"b":"","c":" \\n","d":[],"e":{},"f":[null,""],"g":0}', 'g: 0'],
    'of empty values only has no text': ['[[],{},null,""]', ''],
    'can be a single value': ['42', '42'],
    'can be in any script': ['["مضخة", "ปั๊ม", {"城市": "亚琛"}]', /^مضخة[^]*ปั๊ม[^]*城市: 亚琛$/],
    'can have keys of any kind, and repeated keys': [
      '{"__proto__":{"x":1},"constructor":"c","":5,"a b":6,"k":7,"k":8}',
      '__proto__.x: 1\n\nconstructor: c\n5\na b: 6\nk: 8',
    ],
    'can be UTF-16 with a byte order mark': [Buffer.from('\ufeff{"a":"é"}', 'utf16le'), 'a: é'],
    'gives no characters that cannot be stored': [
      '{"a\\u0000":"b\\ud800\\u0000c\\udc00"}',
      'a\ufffd: b\ufffd\ufffdc\ufffd',
    ],
    'is read when lists are nested 500 levels deep': [nested(500), '1'],
    'is read when records are nested 500 levels deep': [
      '{"a":'.repeat(500) + '1' + '}'.repeat(500),
      /^(?:a\.){499}a: 1$/,
    ],
  });

  test('makes no headings from Markdown in its texts', async () => {
    const text = await textOf(
      extractJson,
      JSON.stringify([{ body: 'x\n# A\nB\n===\n```\n# code' }, { body: 'y' }]),
    );
    const pieces = cutText(`# Data\n\n${text}\n\n# End\n\nz`);
    assert.deepEqual([...new Set(pieces.map(({ headings }) => headings.join()))], ['Data', 'End']);
  });
});

describe('a file that is not valid JSON', () => {
  testFaults(extractJson, {
    'fails with too_deep if it is nested too deeply, at any depth': [
      'too_deep',
      [nested(501), nested(100_000), '['.repeat(1_000_000), '{"a":'.repeat(100_000)],
    ],
    'fails for an unknown encoding': ['invalid_encoding', [Buffer.from('"x\x81y"', 'latin1')]],
    'fails for binary data': ['not_text', ['"a\0"']],
    'fails if its keys make more text than can be stored': [
      'too_many_chunks',
      [JSON.stringify({ ['k'.repeat(100_000)]: Array.from({ length: 1_100 }, (_, id) => ({ id })) })],
    ],
  });

  test('fails with the place of the error, without the content', async () => {
    for (const [text, place] of [
      ['{"a": secret}', 'line 1, position 7'],
      ['{\n  "a": 1,\n}', 'line 3, position 1'],
      ['{"a" 1}', 'line 1, position 6'],
      ["{'a': 1}", 'line 1, position 2'],
      ['[1, 2] secret', 'line 1, position 8'],
      ['["a\nsecret"]', 'line 1, position 4'],
      ['["\\x"]', 'line 1, position 3'],
      ['[1\n,,2]', 'line 2, position 2'],
      ['// secret\n{}', 'line 1, position 1'],
      ['{"a":1', 'too early'],
      ['', 'too early'],
    ] as const) {
      const { code, message } = await faultOf(extractJson, text);
      assert.equal(code, 'invalid_json', text);
      assert.ok(message.includes(place), `${text}: ${message}`);
      assert.doesNotMatch(message, /secret/);
    }
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
  } else if (typeof value === 'string' || typeof value === 'number') yield String(value);
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
  const words = ['"a"', '"\\n"', '"\\u00e9"', 'true', 'false', 'null', '1.5', '-2e3', '{"a":', '[1,'];
  const fragment = fc.constantFrom(...'{}[],:" \n\\-.0123e+\u00a0\ufeff', ...words);
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
