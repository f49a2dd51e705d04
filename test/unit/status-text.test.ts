import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passagesText } from '../../cli/commands/status.ts';

const byService = { serverModeEnabled: true };

describe('the passages in memory status', () => {
  it('have no progress when all have a vector, or programs make them', () => {
    const all = { total: 3, embedded: 3, pending: 0 };
    assert.equal(passagesText(all, byService), '3, 3 of them with a vector');
    const none = { total: 3, embedded: 0, pending: 3 };
    assert.equal(passagesText(none, { serverModeEnabled: false }), '3, 0 of them with a vector');
  });

  it('have a share while some wait, and the time left if it is known', () => {
    const waiting = { total: 3000, embedded: 1999, pending: 1001 };
    assert.equal(passagesText(waiting, byService), '3000, 1999 of them with a vector (66 %)');
    const left = { seconds: 90, minutes: 600, hours: 90_000 };
    assert.deepEqual(
      Object.values(left).map((secondsLeft) => passagesText({ ...waiting, secondsLeft }, byService)),
      ['90 s', '10 min', '25 h'].map((time) => `3000, 1999 of them with a vector (66 %), about ${time} left`),
    );
  });
});
