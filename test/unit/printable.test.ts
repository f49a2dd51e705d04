import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printable } from '../../cli/terminal/columns.ts';
import { bold, jsonText, styled } from '../../cli/terminal/output.ts';

/** Every character that a terminal can execute, or that changes the order in which a line is shown. */
const UNSAFE = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => !'\t\n'.includes(character) && /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u.test(character),
);

describe('a text that the terminal client prints', () => {
  it('shows each control character and each character of direction as its code', () => {
    assert.ok(UNSAFE.length > 60);
    for (const character of UNSAFE) {
      const code = character.charCodeAt(0).toString(16);
      assert.equal(printable(`a${character}b`), `a\\u{${code}}b`);
    }
    assert.equal(printable('\u001b]0;title\u0007 \u009b2J a\rb'), '\\u{1b}]0;title\\u{7} \\u{9b}2J a\\u{d}b');
    const others = '\u009b1m \u0007[1m \u001b[33m\u001b[3J';
    assert.equal(printable(others), '\\u{9b}1m \\u{7}[1m \\u{1b}[33m\\u{1b}[3J');
  });

  it('keeps lines, tabs, joined letters and the styles of the terminal client', () => {
    for (const text of [
      'a\n\tb\r\nc',
      'می\u200cخواهم 👩\u200d🚀',
      bold('a'),
      styled('red', 'a'),
      '\u001b[2mdim\u001b[22m',
      '\u001b[32m+\u001b[39m',
    ]) {
      assert.equal(printable(text), text);
    }
  });
});

describe('a value that the terminal client prints as JSON', () => {
  it('has no character that a terminal could execute or does not show, and is read as the same value', () => {
    const value = { [`name${UNSAFE.join('')}`]: [`${UNSAFE.join(' ')}\n\t\u200b\u00ad\u{e0041}山`] };
    for (const indent of [undefined, 2]) {
      const text = jsonText(value, indent);
      assert.deepEqual(JSON.parse(text), value);
      assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      assert.ok(text.includes('山'));
    }
  });
});
