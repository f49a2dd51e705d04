import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { jsonHash, jsonParts } from '../../shared/formats/json-parts.ts';

/** The text in one piece, the fields of each object sorted: what the parts are compared with. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The same value, the fields of every object in it in the reverse of their order. */
function turned(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(turned);
  const fields = Object.entries(value).toReversed();
  return Object.fromEntries(fields.map(([name, part]) => [name, turned(part)]));
}

/** What a request can hold: a value that was JSON once has neither -0 nor a prototype of its own. */
const json = () => fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe('the canonical text of a JSON value', () => {
  test('the canonical text is the same for every order of fields, at any depth', () => {
    const one = { b: [{ y: 1, x: { d: null, c: 'z' } }], a: true };
    const other = { a: true, b: [{ x: { c: 'z', d: null }, y: 1 }] };
    assert.equal(canonicalJson(one), '{"a":true,"b":[{"x":{"c":"z","d":null},"y":1}]}');
    assert.equal(canonicalJson(other), canonicalJson(one));
    fc.assert(
      fc.property(json(), (value) => assert.equal(canonicalJson(turned(value)), canonicalJson(value))),
    );
  });

  test('any two different values have different canonical texts', () => {
    const values = [null, 'null', 0, '0', false, '', [], {}, [[]], [{}], { a: null }, { a: [] }, ['a', null]];
    assert.equal(new Set(values.map(canonicalJson)).size, values.length);
    // The order of a list counts, and so does where a field stands.
    assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]));
    assert.notEqual(canonicalJson({ a: { b: 1 } }), canonicalJson({ b: { a: 1 } }));
    fc.assert(fc.property(json(), (value) => assert.deepEqual(JSON.parse(canonicalJson(value)), value)));
  });

  test('the canonical text contains fields whose names are special in JavaScript', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"toJSON":"x","constructor":2,"10":3,"9":4}') as unknown;
    assert.equal(canonicalJson(value), '{"9":4,"10":3,"__proto__":{"a":1},"constructor":2,"toJSON":"x"}');
  });
});

describe('the parts of a JSON value', () => {
  test('the parts join to the whole text, in the given and in the canonical order of fields', () => {
    const special = JSON.parse(
      '{"__proto__":{"a":1},"toJSON":"x","10":3,"9":[1,2.5,"c",4,[],{}]}',
    ) as unknown;
    const long = [{ a: 'é😀"'.repeat(100_000) }, Array.from({ length: 3000 }, (_, n) => n / 7), null];
    const assertWhole = (value: unknown) => {
      assert.equal([...jsonParts(value)].join(''), JSON.stringify(value));
      assert.equal([...jsonParts(value, 'canonical')].join(''), canonicalJson(value));
    };
    for (const value of [special, long, { a: undefined, b: 1 }, [undefined]]) assertWhole(value);
    fc.assert(fc.property(json(), assertWhole));
  });

  test('hashing the parts lets the event loop turn and gives the hash of the whole text', async () => {
    const value = {
      b: Array.from({ length: 2000 }, () => Array.from({ length: 1024 }, (_, n) => n / 3)),
      a: 1,
    };
    let turns = 0;
    const counting = setInterval(() => (turns += 1));
    const hash = await jsonHash(value, 'canonical');
    clearInterval(counting);
    assert.ok(turns > 2, `${turns} turns`);
    assert.deepEqual(hash, createHash('sha256').update(canonicalJson(value)).digest());
  });
});
