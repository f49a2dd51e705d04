import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VISIBLE_CHARACTER } from '../../shared/formats/names.ts';

const isVisible = (text: string) => VISIBLE_CHARACTER.test(text);

/** Every character with this property. */
function charactersWith(property: RegExp): string[] {
  const found: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (property.test(character)) found.push(character);
  }
  return found;
}

describe('a name that people can see', () => {
  it('has a letter, a number, punctuation or a symbol of any script', () => {
    for (const name of 'a Ä 山 ش 한 ไ ٣ ½ . – € ☂ 👩‍👩‍👧 𝒜'.split(' ')) assert.ok(isVisible(name), name);
  });

  it('can have invisible characters beside those that are visible', () => {
    for (const name of '\u200fش\u200f a\u200db \u3164a \u2066b\u2069 e\u0301 soft\u00adhyphen ❤️'.split(' '))
      assert.ok(isVisible(name), JSON.stringify(name));
  });

  it('is not one of white space, controls, format characters, marks or unassigned characters only', () => {
    const none = charactersWith(/[\p{Z}\p{C}\p{M}]/u);
    assert.ok(none.length > 100_000);
    assert.deepEqual(none.filter(isVisible), []);
    assert.ok(!isVisible(none.slice(0, 5000).join('')));
  });

  it('is not one of letters and symbols that show nothing', () => {
    const ignorable = charactersWith(/\p{Default_Ignorable_Code_Point}/u);
    // Fillers of Hangul, a soft hyphen, selectors of variants and tags.
    assert.ok('\u3164\uffa0\u115f\u034f\u00ad\ufe0f'.split('').every((blank) => ignorable.includes(blank)));
    const blanks = [...ignorable, '\u2800', '\u{13441}', '\u{13442}', '\u{1d159}'];
    assert.deepEqual(blanks.filter(isVisible), []);
    assert.ok(!isVisible(blanks.join(' ')));
  });
});
