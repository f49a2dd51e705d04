import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml, htmlToMarkdown } from '../../../../worker/extract/html.ts';
import { testTexts } from '../extraction.ts';

describe('the values of forms', () => {
  testTexts(extractHtml, {
    'are separated from their labels': [
      '<form><label>Name:</label><input value="Northwind Pumps"><label>No:<input type=number value=7>pieces</label></form>',
      'Name: Northwind Pumps No: 7 pieces',
    ],
    'are read of fields that cannot be changed': [
      '<p>Contract<input disabled value=C-20417>',
      'Contract C-20417',
    ],
    'are marks for boxes': [
      '<p><input type=checkbox checked>Legal<input type=checkbox>Tax<p>Paid<input type=radio checked>yes<input type=radio>no',
      '[x] Legal [ ] Tax\n\nPaid [x] yes [ ] no',
    ],
    'are marks in lists': [
      '<ul><li><input type=checkbox checked>Legal<li><input type=checkbox> Tax</ul>',
      '- [x] Legal\n- [ ] Tax',
    ],
    'are the chosen options of a list': [
      '<p>Country<select><option value=de>Germany<option value=fr selected>France</select>now' +
        '<p>Size<select><option value=1>small<option>large</select>' +
        '<p>Days<select multiple><optgroup label=Week><option selected>Monday<option>Tuesday<option selected>Friday</optgroup></select>' +
        '<p>Rooms<select size=3><option>B4</select>',
      'Country France now\n\nSize small\n\nDays Monday, Friday\n\nRooms',
    ],
    'are the lines of a text field': [
      'Notes<textarea>first\nsecond | line</textarea>end',
      'Notes first\nsecond | line end',
    ],
    'are not passwords, hidden values, files or hints': [
      '<p>a<input type=hidden value=t0k3n>b<input type=password value=s3cret>c<input placeholder=Search>d<input type=file value=f>',
      'ab c d',
    ],
    'are read in tables': [
      '<table><tr><td>Name<td><input value=Ann><tr><td>OK<td><input type=checkbox checked></table>',
      '| Name | Ann |\n| - | - |\n| OK | [x] |',
    ],
  });

  test('are separated from the labels of buttons', () => {
    assert.equal(
      htmlToMarkdown('<p>Ann<button>Save</button><button>Close</button>now'),
      'Ann Save Close now',
    );
  });
});
