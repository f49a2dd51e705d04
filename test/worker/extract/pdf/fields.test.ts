import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pdfText } from '../../../support/pdf-writer.ts';
import { AT, CHECKED, draw, extrasOf, textLine as line, placedOf, textField, widget } from './page-extras.ts';

const UNCHECKED = '/AS /Off /AP << /N << /Yes << >> /Off << >> >> >>';
const BOX = '/Rect [100 700 112 712]';
const FORMAT = '/AA << /F << /S /JavaScript /JS (AFNumber_Format\\(2, 0, 0, 0, "", true\\);) >> >>';

describe('a text field of a PDF', () => {
  test('gives its value in the middle of its box', async () => {
    const { placed } = await extrasOf([], [textField('/V (Northwind Pumps) /DA (/F1 10 Tf)')]);
    assert.deepEqual(placed, [{ text: 'Northwind Pumps', rect: [100, 704, 300, 716], size: 10, angle: 0 }]);
  });

  test('gives each line of its value at its place', async () => {
    const address = textField(`/Ff 4096 /V ${pdfText('Harbour Street 5\r\n\nHamburg\rGermany')}`);
    const { placed } = await extrasOf([], [address.replace(AT, '/Rect [100 620 300 720]')]);
    assert.deepEqual(
      placed.map(({ text }) => text),
      ['Harbour Street 5', 'Hamburg', 'Germany'],
    );
    const tops = placed.map(({ rect }) => rect[3]);
    assert.deepEqual(
      tops,
      [...tops].sort((a, b) => b - a),
      'from top to bottom',
    );
    assert.ok(placed.every(({ rect }) => rect[0] === 100 && rect[1] >= 620 && rect[2] === 300));
  });

  test('places the lines of a turned value side by side', async () => {
    const turned = textField('/Ff 4096 /V (one\ntwo) /DA (/F1 10 Tf)');
    for (const [angle, first, second] of [
      [90, [100, 700, 112, 720], [112, 700, 124, 720]],
      [270, [288, 700, 300, 720], [276, 700, 288, 720]],
    ] as const) {
      const { placed } = await extrasOf([], [`${turned} /MK << /R ${angle} >>`]);
      assert.deepEqual(placed, [
        { text: 'one', rect: first, size: 10, angle },
        { text: 'two', rect: second, size: 10, angle },
      ]);
    }
  });

  test('gives a value of which each character has a cell as one text', async () => {
    const cells = {
      entries: textField(`/Ff ${1 << 24} /MaxLen 7 /V (C-20417) ${FORMAT}`),
      drawn: draw('C - 2 0 4 1 7'),
    };
    assert.deepEqual(await placedOf(cells), ['C-20417']);
  });

  test('gives the value that was entered, not an older one that is drawn', async () => {
    assert.deepEqual(await placedOf({ entries: textField('/V (new)'), drawn: draw('old') }), ['new']);
  });

  test('gives what is drawn if a script formats the value', async () => {
    const amount = { entries: textField(`/V (1234.5) ${FORMAT}`), drawn: draw('1,234.50 EUR') };
    assert.deepEqual(await placedOf(amount), ['1,234.50 EUR']);
  });

  test('gives what is drawn if it has no value', async () => {
    assert.deepEqual(await placedOf({ entries: textField(''), drawn: draw('Northwind Pumps') }), [
      'Northwind Pumps',
    ]);
  });

  test('gives a value that it inherits, and one that the program has yet to draw', async () => {
    const kid = widget('/Parent << /FT /Tx /T (supplier) /V (Northwind Pumps) >>');
    const { placed } = await extrasOf([], [kid], { form: '/NeedAppearances true' });
    assert.equal(placed[0]?.text, 'Northwind Pumps');
  });

  test('gives nothing if it is empty or a password', async () => {
    const empty = [textField(''), textField('/V ()'), textField('/V ( \n )'), textField('/V 7')];
    const password = { entries: textField(`/Ff ${1 << 13} /V (hunter2)`), drawn: draw('*******') };
    assert.deepEqual(await placedOf(...empty, password, widget('/FT /Unknown /V (x)')), []);
  });
});

describe('a choice field of a PDF', () => {
  const options = '/Opt [[(r) (Red)] [(g) (Green)] (Blue)]';
  const choice = (entries: string) => widget(`/FT /Ch /T (colour) ${entries}`, '/Rect [100 600 300 700]');

  test('gives the text of the selected option, not its export value', async () => {
    assert.deepEqual(await placedOf(choice(`/Ff ${1 << 17} ${options} /V (g)`)), ['Green']);
    assert.deepEqual(await placedOf(choice(`/Ff ${1 << 17} ${options} /V (Blue)`)), ['Blue']);
    assert.deepEqual(await placedOf(choice('/Opt [[(g) ()]] /V (g)')), ['g'], 'an option without a text');
  });

  test('gives a text that was entered instead of an option', async () => {
    assert.deepEqual(await placedOf(choice(`/Ff ${3 << 17} ${options} /V (Violet)`)), ['Violet']);
  });

  test('gives each option that is selected, one below the other', async () => {
    const { placed } = await extrasOf([], [choice(`/Ff ${1 << 21} ${options} /V [(r) (Blue)]`)]);
    assert.deepEqual(
      placed.map(({ text }) => text),
      ['Red', 'Blue'],
    );
    assert.ok(placed[0]!.rect[1] >= placed[1]!.rect[3]);
  });

  test('gives nothing if no option is selected', async () => {
    assert.deepEqual(await placedOf(choice(options), choice('/V ()')), []);
  });
});

describe('a check box or radio button of a PDF', () => {
  const box = (entries: string) => widget(`/FT /Btn ${entries}`, BOX);

  test('is a mark at its place if a label is near it on the page', async () => {
    const label = [line(120, 702, 'Approved')];
    const { placed } = await extrasOf(label, [box(`/T (ok) /TU (Tick it) ${CHECKED}`)]);
    assert.deepEqual(placed, [{ text: '[x]', rect: [100, 700, 112, 712], size: null, angle: 0 }]);
    const before = await extrasOf([line(20, 702, 'Approved:')], [box(`/T (ok) ${UNCHECKED}`)]);
    assert.equal(before.placed[0]?.text, '[ ]');
  });

  test('has the label of its tooltip, its export value or its name if none is near', async () => {
    const named = (value: string, entries: string) => box(entries + CHECKED.replaceAll('Yes', value));
    const other = [line(120, 600, 'Approved')];
    for (const [field, text] of [
      [box(`/T (ok) /TU (Approved by legal) ${CHECKED}`), '[x] Approved by legal'],
      [named('Rejected', '/T (state)'), '[x] Rejected'],
      [named('Gr#c3#b6#c3#9fe', '/T (state)'), '[x] Größe'],
      [named('1', '/T (form[0].page[0].agree[0])'), '[x] agree'],
      [box(`/T (agree) ${UNCHECKED}`), '[ ] agree'],
      [box(CHECKED), '[x]'],
    ] as const) {
      const { placed } = await extrasOf(other, [field]);
      assert.deepEqual(
        placed.map((each) => each.text),
        [text],
      );
    }
  });

  test('is marked if its value is that of the group', async () => {
    const radio = (value: string) =>
      box(
        `/Parent << /FT /Btn /Ff ${1 << 15} /T (size) /V /Large >> /AP << /N << /${value} << >> /Off << >> >> >>`,
      );
    assert.deepEqual(await placedOf(radio('Small'), radio('Large')), ['[ ] Small', '[x] Large']);
  });

  test('is not a push button', async () => {
    assert.deepEqual(await placedOf(box(`/Ff ${1 << 16} /T (send) /TU (Send) /MK << /CA (Send) >>`)), []);
  });
});

describe('a signature field of a PDF', () => {
  const RANGE = '/ByteRange [0 10 20 10] /Contents <30> /SubFilter /adbe.pkcs7.detached';
  const signed = (entries: string) =>
    widget(`/FT /Sig /T (signature) /V << /Type /Sig ${RANGE} ${entries} >>`);
  const form = { form: '/SigFlags 3' };

  test('tells who signed it and on which day, as far as it is stated', async () => {
    for (const [entries, text] of [
      ["/Name (Anna Berg) /M (D:20260504233000+02'00')", 'Signed by Anna Berg on 2026-05-04'],
      ['/Name (Anna Berg)', 'Signed by Anna Berg'],
      ['/M (D:20269904)', 'Signed'],
    ] as const) {
      const { placed } = await extrasOf([], [signed(entries)], form);
      assert.deepEqual(
        placed.map((each) => each.text),
        [text],
      );
    }
  });

  test('gives nothing if it is not signed', async () => {
    assert.deepEqual((await extrasOf([], [widget('/FT /Sig /T (signature)')], form)).placed, []);
  });
});
