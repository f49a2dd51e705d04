import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { isAgentToken, newAgentToken, parseAgentToken } from '../../shared/formats/agent-token.ts';
import { hashToken } from '../../shared/tokens.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
function inBase62(value: number): string {
  const digits: string[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits.unshift(BASE62[rest % 62] ?? '');
  return digits.join('').padStart(6, '0');
}

describe('the text of an agent token', () => {
  test('has the documented form, with the CRC-32 of everything before it, and uses all 62 characters', () => {
    const all = Array.from({ length: 200 }, newAgentToken);
    assert.equal(new Set(all.map(({ token }) => token)).size, all.length);
    assert.equal(new Set(all.map(({ token }) => token.slice(20, 52)).join('')).size, 62);
    for (const { token, lookupId, secretHash } of all) {
      assert.match(token, /^tm_pat_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
      assert.equal(token.slice(-6), inBase62(crc32(token.slice(0, -6))));
      assert.equal(lookupId, token.slice(7, 19));
      assert.deepEqual(secretHash, hashToken(token.slice(20, 52)));
      assert.deepEqual(parseAgentToken(token), { lookupId, secretHash });
    }
  });

  test('is refused with any one character changed, removed or added', () => {
    const change = fc.record({
      at: fc.nat({ max: 57 }),
      by: fc.constantFrom(...BASE62, '_', '-', ' '),
      kind: fc.constantFrom('change', 'remove', 'add'),
    });
    fc.assert(
      fc.property(change, ({ at, by, kind }) => {
        const { token } = newAgentToken();
        const wrong =
          token.slice(0, at) + (kind === 'remove' ? '' : by) + token.slice(kind === 'add' ? at : at + 1);
        fc.pre(wrong !== token);
        assert.equal(parseAgentToken(wrong), null, `${token} as ${wrong}`);
      }),
      { numRuns: 500 },
    );
  });

  test('is recognized by its prefix, valid or not, so that it is never looked up as a session', () => {
    assert.ok(isAgentToken('tm_pat_nonsense'));
    assert.ok(!isAgentToken('tm_oat_nonsense'));
    assert.equal(parseAgentToken('tm_pat_nonsense'), null);
  });
});
