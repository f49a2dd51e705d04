import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { logText } from '../../shared/logger.ts';

const plain = logText(false);
const TIME = Date.UTC(2026, 10, 28, 12, 30, 45);
const STAMP = /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] /;

/** A log line with these fields, as a person sees it, without the time. */
const shown = (fields: Record<string, unknown>) =>
  plain(
    JSON.stringify({ level: 30, time: TIME, pid: 1, hostname: 'host', name: 'memory', ...fields }),
  ).replace(STAMP, '');

describe('a log line for people', () => {
  test('has the time, the level, the message and the fields in one line', () => {
    const line = plain(
      JSON.stringify({ level: 30, time: TIME, name: 'memory', msg: 'listening', port: 8787 }),
    );
    assert.match(line, /^\[2026-11-2\d \d\d:\d\d:45\] INFO: listening port=8787\n$/);
    const request = { reqId: 'an id', method: 'GET', route: '/v1/team/clients/:id', status: 200, ms: 3 };
    for (const [fields, expected] of [
      [
        { msg: 'answered', ...request },
        'INFO: answered method=GET route=/v1/team/clients/:id status=200 ms=3',
      ],
      [
        { level: 40, name: 'worker', msg: 'slow', reqId: 'an-id', detail: { a: ['b c'] } },
        'WARN (worker): slow reqId=an-id detail={"a":["b c"]}',
      ],
      [{ msg: 'migrated', applied: [...'abcde'] }, 'INFO: migrated applied=["a","b","c"] and 2 more'],
      [{ name: 'api', warning: 'two words' }, 'INFO (api): warning="two words"'],
      [{ msg: 'a', title: 'x status=500' }, 'INFO: a title="x status=500"'],
    ] as const)
      assert.equal(shown(fields), `${expected}\n`);
  });

  test('shows the stack of an error below it, indented', () => {
    const stack = 'Error: it broke\n    at f (file.ts:1:2)';
    for (const [err, expected] of [
      [{ type: 'Error', message: 'it broke', stack }, 'Error: it broke\n    at f (file.ts:1:2)'],
      [{ message: 'it broke' }, 'it broke'],
      ['a text', '"a text"'],
    ] as const)
      assert.equal(shown({ level: 50, msg: 'failed', err }), `ERROR: failed\n    ${expected}\n`);
  });

  test('cannot be forged, and cannot control the terminal, whatever a stranger has written', () => {
    const evil = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\n[2026-11-28 12:30:45] INFO: forged',
        '\r\u001b[2K\u001b]0;title\u0007',
        '\u2028\u2029\u0085\u009b1m',
        '\u202ereversed\u2066',
        '\ud800',
        '{"level":30}',
        'a b=c "d"',
      ),
    );
    const value = fc.oneof(evil, fc.array(evil), fc.dictionary(evil, evil));
    fc.assert(
      fc.property(evil, fc.dictionary(evil, value), fc.option(evil), (msg, fields, stack) => {
        const err = stack === null ? {} : { err: { type: 'Error', message: msg, stack } };
        const text = plain(JSON.stringify({ ...fields, level: 30, time: TIME, name: 'memory', msg, ...err }));
        const [first = '', ...others] = text.split('\n');
        assert.match(first, STAMP);
        assert.equal(others.pop(), '');
        for (const line of others) assert.match(line, /^ {4}/);
        assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 100 },
    );
  });
});
