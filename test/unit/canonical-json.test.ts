import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { jsonHash, jsonParts } from '../../shared/formats/json-parts.ts';
import { countTurns } from '../support/count-turns.ts';

/** The text in one piece, the fields of each object sorted: what the parts are compared with. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** What a request can hold: a value that was JSON once has neither -0 nor a prototype of its own. */
const json = () => fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

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
    const expected = createHash('sha256').update(canonicalJson(value)).digest();
    const turns = await countTurns(async () =>
      assert.deepEqual(await jsonHash(value, 'canonical'), expected),
    );
    assert.ok(turns > 2, `${turns} turns`);
  });
});
