import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compare } from '../../web/src/ui/compare.ts';

const changed = (before: string, after: string) =>
  compare(before, after).flatMap(({ op, text }) => (op === 'equal' ? [] : [`${op}: ${text.trim()}`]));

describe('what the console shows of two texts', () => {
  it('compares sentences that are alike word by word', () => {
    assert.deepEqual(changed('The port is 443. Ask Carl.', 'The port is 8443. Ask Carl.'), [
      'delete: 443',
      'insert: 8443',
    ]);
  });

  it('shows unlike sentences whole, in the place of others and beside them', () => {
    assert.deepEqual(
      changed('Ask Carl. The ferry leaves at noon.', 'Ask Carl. Nobody knows the port of the mail server.'),
      ['delete: The ferry leaves at noon.', 'insert: Nobody knows the port of the mail server.'],
    );
  });

  it('has all of both texts, with a space between sentences of different texts', () => {
    const parts = compare('One is red. Two is blue. Three is green.', 'One is red. Four is black.');
    const side = (left: string) =>
      parts
        .filter(({ op }) => op !== left)
        .map(({ text }) => text)
        .join('');
    assert.equal(side('delete').trim(), 'One is red. Four is black.');
    assert.equal(side('insert').trim(), 'One is red. Two is blue. Three is green.');
  });

  it('gives up on texts that differ too much, and shows both whole', () => {
    const text = (word: string) => Array.from({ length: 900 }, (_, n) => `${word}${n} is new.`).join(' ');
    assert.deepEqual(
      compare(text('A'), text('B')).map(({ op }) => op),
      ['delete', 'insert'],
    );
  });
});
