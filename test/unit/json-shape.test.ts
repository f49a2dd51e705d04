import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type JsonLimits, JsonShape } from '../../api/http/bodies/read-body.ts';

const NO_LIMITS: JsonLimits = { containers: 1e9, members: 1e9, strings: 1e9, values: 1e9 };

/** What a JSON text consists of, counted one character after the other. */
function countNaively(text: string): JsonLimits & { depth: number } {
  const counted = { containers: 0, members: 0, strings: 0, values: 1, depth: 0 };
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      counted.strings += 1;
      at += 1;
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    } else if (sign === '[' || sign === '{') {
      counted.containers += 1;
      depth += 1;
      counted.depth = Math.max(counted.depth, depth);
    } else if (sign === ']' || sign === '}') depth -= 1;
    else if (sign === ':') counted.members += 1;
    else if (sign === ',') counted.values += 1;
  }
  return counted;
}

/** The detail of the refusal of a text that arrives in parts of so many bytes; null where it is not refused. */
function refusal(text: string, limits: Partial<JsonLimits> = {}, partBytes = 65_536): string | null {
  const shape = new JsonShape({ ...NO_LIMITS, ...limits });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += partBytes) shape.add(bytes.subarray(at, at + partBytes));
  return shape.fault?.message ?? null;
}

const NAMES = {
  containers: 'arrays and objects',
  members: 'object members',
  strings: 'strings',
  values: 'values',
} as const;

/** Text with many characters that have a meaning in JSON. */
const trickyText = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ',', ':', 'u', '字', '\n', '\u0001') }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('x', ']'), minLength: 250, maxLength: 600 }),
);
const json = fc
  .tuple(
    fc.jsonValue({ maxDepth: 8, depthSize: 'medium' }),
    trickyText,
    trickyText,
    fc.constantFrom(undefined, 1),
  )
  .map(([value, text, key, indent]) => JSON.stringify([{ [key]: value, text }, text], null, indent));

describe('the shape of a JSON text', () => {
  it('parts of any size give the same counts as single characters', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 40 }), (text, partBytes) => {
        const counted = countNaively(text);
        for (const name of ['containers', 'members', 'strings', 'values'] as const) {
          assert.equal(refusal(text, { [name]: counted[name] }, partBytes), null);
          const below = counted[name] - 1;
          assert.equal(
            refusal(text, { [name]: below }, partBytes),
            `The body has more than ${below} ${NAMES[name]}; send less in one request`,
          );
        }
      }),
    );
  });

  it('a depth of 32 is accepted and 33 is refused', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 28, maxLength: 36 }), trickyText, (kinds, text) => {
        const leaf = JSON.stringify(text);
        const nested = kinds.reduce((inner, isArray) => (isArray ? `[${inner}]` : `{"k":${inner}}`), leaf);
        assert.equal(refusal(nested) === null, kinds.length <= 32, nested);
      }),
    );
    assert.equal(refusal('['.repeat(33)), 'The body is nested deeper than 32; send less in one request');
  });

  it('each repetition of a key is counted', () => {
    assert.equal(refusal(`{${'"a":1,'.repeat(9)}"a":1}`, { members: 10 }), null);
    assert.match(refusal(`{${'"a":1,'.repeat(9)}"a":1}`, { members: 9 }) ?? '', /more than 9 object members/);
  });

  it('a key of more than 16,383 bytes is refused, and a value can have any length', () => {
    const long = 'k'.repeat(16_384);
    assert.match(refusal(`{"a":{"${long}":1}}`) ?? '', /has a key of more than 16383 bytes/);
    assert.match(refusal(`{"${long}" :1}`, {}, 1000) ?? '', /has a key of more than 16383 bytes/);
    assert.equal(refusal(`{"${long.slice(1)}":"${long}","b":1}`), null);
  });

  it('a text is closed when every string, array and object has ended', () => {
    for (const [text, isClosed] of Object.entries({
      '[{"a":"]"}]': true,
      '1': true,
      '[': false,
      '"': false,
      '"\\"': false,
      '"\\\\"': true,
    })) {
      const shape = new JsonShape(NO_LIMITS);
      for (const byte of Buffer.from(text)) shape.add(Buffer.of(byte));
      assert.equal(shape.isClosed, isClosed, text);
    }
  });
});
