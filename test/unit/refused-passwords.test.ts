import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertNotGuessable } from '../../core/accounts/refused-passwords.ts';

const ADA = { name: 'Ada M. Lovelace', email: 'countess.ada@example.com' };
const isRefused = (password: string, owner = ADA) => {
  try {
    assertNotGuessable(password, owner, '/password');
    return false;
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'password_refused');
    return true;
  }
};

describe('a new password', () => {
  for (const password of ['123qweasdzxc', '1QAZ2wsx3EDC', 'q1w2e3r4t5y6', '１２３qweasdzxc'])
    it(`is refused as one of the most common: ${password}`, () => assert.ok(isRefused(password)));

  for (const password of [
    'AdaMLovelace!',
    'Lovelace-2026!',
    'ada ada ada ada',
    'COUNTESSADA123',
    'countess.ada.countess.ada',
    '1234ada5678901',
  ])
    it(`is refused as made of the name or the address: ${password}`, () => assert.ok(isRefused(password)));

  for (const password of [
    'ada loves lace',
    'lovelaceada',
    '845 120 334 771',
    'correct horse battery staple',
    'm-adam-adam',
  ])
    it(`is accepted: ${password}`, () => assert.ok(!isRefused(password)));

  it('in any script is compared without case, digits and signs', () => {
    const owner = { name: 'Ольга Ším', email: 'o.s@example.com' };
    assert.ok(isRefused('ОЛЬГАольга12', owner));
    assert.ok(isRefused('ším ŠÍM ším 2026', owner));
    assert.ok(!isRefused('Ольгадругая12', owner));
  });

  it('of a name without letters is compared with the address only', () => {
    assert.ok(!isRefused('845 120 334 771', { name: '42', email: '7@example.com' }));
  });

  it('that repeats a word of the name is refused, whatever stands between', () => {
    const signs = fc.stringMatching(/^[0-9 .!_-]{0,4}$/);
    fc.assert(
      fc.property(fc.array(signs, { minLength: 1, maxLength: 6 }), (between) => {
        assert.ok(isRefused(between.map((some) => `${some}Lovelace`).join('')));
      }),
    );
  });
});
