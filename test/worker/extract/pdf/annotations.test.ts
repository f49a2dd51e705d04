import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Rect, readAnnotations } from '../../../../worker/extract/pdf/annotations.ts';
import { pdfText } from '../../../support/pdf-writer.ts';
import {
  AT,
  CHECKED,
  draw,
  extrasOf,
  textLine as line,
  notesOf,
  onePage,
  pageExtrasOf,
  placedOf,
  textField,
  widget,
} from './page-extras.ts';

const HIDDEN = 2;
const NO_VIEW = 32;

describe('what is hidden on a page of a PDF', () => {
  test('is left out', async () => {
    for (const flags of [HIDDEN, NO_VIEW, HIDDEN | 4]) {
      const all = [
        textField('/V (x)'),
        `/Subtype /FreeText ${AT} /Contents (typed)`,
        `/Subtype /Text ${AT} /Contents (note)`,
        `/Subtype /Link ${AT} /A << /S /URI /URI (https://example.com/) >>`,
      ].map((each) => `${each.replace('/F 4', '')} /F ${flags}`);
      assert.deepEqual(await placedOf(...all), []);
    }
  });

  test('is a field or typed text without a size', async () => {
    const flat = '/Rect [100 700 100 720]';
    assert.deepEqual(
      await placedOf(
        textField('/V (x)').replace(AT, flat),
        widget(`/FT /Btn ${CHECKED}`, flat),
        `/Subtype /FreeText ${flat} /Contents (typed)`,
      ),
      [],
    );
  });
});

describe('text that was typed on a page of a PDF', () => {
  test('is placed from the top of its box', async () => {
    const { placed, notes } = await extrasOf(
      [],
      [`/Subtype /FreeText ${AT} /DA (/F1 10 Tf) /Contents (Checked by legal) /T (Anna)`],
    );
    assert.deepEqual(placed, [{ text: 'Checked by legal', rect: [100, 708, 300, 720], size: 10, angle: 0 }]);
    assert.deepEqual(notes, []);
  });

  test('is what is drawn if the contents are empty', async () => {
    assert.deepEqual(
      await placedOf({ entries: `/Subtype /FreeText ${AT} /DA (/F1 10 Tf)`, drawn: draw('Paid') }),
      ['Paid'],
    );
  });

  test('can be a stamp', async () => {
    assert.deepEqual(await placedOf(`/Subtype /Stamp ${AT} /Contents (RECEIVED)`, `/Subtype /Stamp ${AT}`), [
      'RECEIVED',
    ]);
  });
});

describe('a comment on a page of a PDF', () => {
  const comment = (subtype: string, entries: string) => `/Subtype /${subtype} ${AT} ${entries}`;

  test('is a note with its author', async () => {
    assert.deepEqual(
      await notesOf(
        [],
        comment('Text', '/Contents (Price is wrong) /T (Anna Berg)'),
        comment('Text', `/Contents ${pdfText('one\r\n two')}`),
        comment('Text', '/Contents (by LibreOffice) /T (Anna Berg, 05/04/26, )'),
      ),
      ['Note by Anna Berg: Price is wrong', 'Note: one two', 'Note by Anna Berg, 05/04/26: by LibreOffice'],
    );
  });

  test('can be that of a line, a shape, a drawing, a caret or an attached file', async () => {
    const shapes = ['Line', 'Square', 'Circle', 'Polygon', 'PolyLine', 'Caret', 'Ink', 'FileAttachment'];
    const geometry = '/L [100 700 300 720] /Vertices [100 700 300 720] /InkList [[100 700 300 720]]';
    assert.deepEqual(
      await notesOf(
        [],
        ...shapes.map((shape) => comment(shape, `${geometry} /Contents (in ${shape})`)),
        comment('Square', ''),
        comment('Redact', '/Contents (secret)'),
        comment('Screen', '/Contents (film)'),
      ),
      shapes.map((shape) => `Note: in ${shape}`),
    );
  });

  test('is read from its rich text if it has no other', async () => {
    const rich = '<body xmlns="http://www.w3.org/1999/xhtml"><p>Price is wrong</p></body>';
    assert.deepEqual(await notesOf([], comment('Text', `/RC (${rich})`)), ['Note: Price is wrong']);
  });

  test('is a note once, with its popup', async () => {
    assert.deepEqual(
      await notesOf(
        [],
        comment('Text', '/Contents (Price is wrong) /Popup 6 0 R'),
        '/Subtype /Popup /Rect [300 600 400 700] /Parent 5 0 R /Open true',
      ),
      ['Note: Price is wrong'],
    );
  });

  test('comes with its replies, whose own icons are hidden, unless it is hidden', async () => {
    const replies = [
      comment('Text', `/F ${HIDDEN} /IRT 5 0 R /Contents (It is right) /T (Ben)`),
      comment('Text', `/F ${HIDDEN} /IRT 6 0 R /Contents (Yes) /T (Anna)`),
      comment(
        'Text',
        `/F ${HIDDEN} /IRT 5 0 R /State (Accepted) /StateModel (Review) /Contents (Accepted set by Ben)`,
      ),
    ];
    const first = comment('Text', '/Contents (Price is wrong) /T (Anna)');
    assert.deepEqual(await notesOf([], first, ...replies), [
      'Note by Anna: Price is wrong',
      'Note by Ben: It is right',
      'Note by Anna: Yes',
    ]);
    assert.deepEqual(await notesOf([], `${first} /F ${HIDDEN}`, ...replies), []);
  });

  test('is a note once if several annotations are one', async () => {
    assert.deepEqual(
      await notesOf(
        [line(110, 705, 'ten')],
        comment('Caret', '/Contents (twelve) /T (Anna)'),
        comment('StrikeOut', '/IRT 5 0 R /RT /Group /QuadPoints [105 720 140 720 105 700 140 700]'),
      ),
      ['Note by Anna: twelve', 'Highlighted: "ten"'],
    );
  });
});

describe('a highlight on a page of a PDF', () => {
  const lines = [line(110, 705, 'The price is'), line(50, 685, 'ten dollars.')];
  const quads = '/QuadPoints [130 718 190 718 130 702 190 702 45 698 120 698 45 682 120 682]';
  const mark = (subtype: string, entries: string) => `/Subtype /${subtype} ${AT} ${entries}`;

  test('gives the text under it, line by line', async () => {
    for (const subtype of ['Highlight', 'Underline', 'Squiggly', 'StrikeOut']) {
      assert.deepEqual(await notesOf(lines, mark(subtype, quads)), ['Highlighted: "price is ten dollars."']);
    }
    assert.deepEqual(await notesOf([], mark('Highlight', quads)), []);
  });

  test('gives its comment with the text', async () => {
    assert.deepEqual(await notesOf(lines, mark('Highlight', `${quads} /Contents (Too high) /T (Anna)`)), [
      'Highlighted: "price is ten dollars."',
      'Note by Anna on "price is ten dollars.": Too high',
    ]);
    assert.deepEqual(await notesOf([], mark('Highlight', `${quads} /Contents (Too high)`)), [
      'Note: Too high',
    ]);
  });

  test('gives the text once if the comment repeats it', async () => {
    assert.deepEqual(await notesOf(lines, mark('Highlight', `${quads} /Contents (Price is\nten dollars.)`)), [
      'Highlighted: "price is ten dollars."',
    ]);
  });
});

describe('a link on a page of a PDF', () => {
  const link = (url: string, rect = AT) => `/Subtype /Link ${rect} /A << /S /URI /URI (${url}) >>`;
  const text = [line(110, 705, 'the terms')];

  test('gives its URL with the text under it', async () => {
    assert.deepEqual(await notesOf(text, link('https://example.com/terms?a=1')), [
      'Link: the terms <https://example.com/terms?a=1>',
    ]);
    assert.deepEqual(await notesOf(text, link('mailto:anna@example.com')), [
      'Link: the terms <mailto:anna@example.com>',
    ]);
    assert.deepEqual(await notesOf([], link('https://example.com/a')), ['Link: <https://example.com/a>']);
    assert.deepEqual(await notesOf([], `${link('https://example.com/a')} /Contents (Our logo)`), [
      'Link: Our logo <https://example.com/a>',
    ]);
  });

  test('is left out if the text shows the URL', async () => {
    for (const [shown, url] of [
      ['https://example.com/', 'https://example.com'],
      ['example.com/a', 'https://www.example.com/a/'],
      ['\\(Example.com/a\\)', 'http://example.com/a'],
      ['example. com/a', 'http://example.com/a'],
      ['anna@example.com', 'mailto:anna@example.com'],
      ['example.com/a b', 'https://example.com/a%20b'],
    ] as const) {
      assert.deepEqual(await notesOf([line(105, 705, shown)], link(url)), [], url);
    }
    assert.deepEqual(await notesOf([line(105, 705, 'example.com')], link('https://example.net/')), [
      'Link: example.com <https://example.net/>',
    ]);
  });

  test('is one, with all its text, if it is broken into lines', async () => {
    const url = 'https://example.com/terms';
    const lines = [line(110, 705, 'the terms'), line(110, 685, 'of trade'), line(110, 605, 'again')];
    assert.deepEqual(
      await notesOf(
        lines,
        link(url),
        link(url, '/Rect [100 680 300 700]'),
        link('https://example.com/b', '/Rect [0 0 9 9]'),
        link(url, '/Rect [100 600 300 620]'),
      ),
      ['Link: the terms of trade <https://example.com/terms>', 'Link: <https://example.com/b>'],
    );
  });

  test('is left out if it is not one to another site, or its URL is too long', async () => {
    const urls = [
      'javascript:alert\\(1\\)',
      'file:///etc/passwd',
      'ftp://example.com/',
      'terms.html',
      'https://',
    ];
    const inner = `/Subtype /Link ${AT} /Dest [3 0 R /Fit]`;
    const long = `https://example.com/${'a'.repeat(2_000)}`;
    assert.deepEqual(await notesOf(text, ...[...urls, long].map((url) => link(url)), inner), []);
  });

  test('gives a URL that cannot end its note', async () => {
    assert.deepEqual(await notesOf([], link('https://example.com/>\nNote: forged <')), [
      'Link: <https://example.com/%3ENote:%20forged%20%3C>',
    ]);
  });
});

describe('the files attached to a PDF', () => {
  const attached = (name: string, entries = '') =>
    `/Subtype /FileAttachment ${AT} /FS << /Type /Filespec /UF ${pdfText(name)} >> ${entries}`;

  test('are named once each: those of the document, and those of its pages that are not hidden', async () => {
    const document = onePage(
      [],
      [
        attached('b.pdf'),
        attached('Größe.xlsx', '/Contents (G)'),
        attached('c.pdf', `/F ${HIDDEN}`),
        attached(''),
      ],
      { files: ['a.pdf', 'folder/b.pdf', ' '] },
    );
    assert.deepEqual((await pageExtrasOf(document)).attachments, ['a.pdf', 'b.pdf', 'Größe.xlsx']);
    assert.deepEqual((await pageExtrasOf(onePage([], []))).attachments, []);
  });

  test('have no note if the comment is the name of the file', async () => {
    assert.deepEqual(await notesOf([], attached('b.pdf', '/Contents (b.pdf)')), []);
  });
});

describe('what annotations of a PDF can cost', () => {
  const rect: Rect = [0, 0, 100, 20];
  const note = (contents: string) => ({ subtype: 'Text', rect, contentsObj: { str: contents } });
  const countLookups = (annotations: readonly unknown[]) => {
    let lookups = 0;
    const extras = readAnnotations(annotations, () => {
      lookups += 1;
      return 'page '.repeat(1_000);
    });
    return { ...extras, lookups };
  };
  const total = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);

  test('is nothing without annotations', () => {
    assert.deepEqual(countLookups([]), { placed: [], notes: [], lookups: 0 });
  });

  test('is bounded, however many there are', () => {
    const boxes = Array(100_000).fill({ subtype: 'Widget', fieldType: 'Btn', exportValue: 'x', rect });
    assert.ok(countLookups(boxes).lookups <= 10_000);
    const quadPoints = new Float32Array(800_000).map((_, at) => [0, 9, 9, 9, 0, 0, 9, 0][at % 8]!);
    const marked = countLookups([{ subtype: 'Highlight', rect, quadPoints }]);
    assert.ok(marked.lookups <= 10 && total(marked.notes) < 3_000);
  });

  test('is bounded for long texts', () => {
    const long = 'x'.repeat(10_000_000);
    const notes = countLookups([
      note(long),
      note(long),
      ...Array.from({ length: 50 }, (_, at) => note(at + long)),
    ]).notes;
    assert.ok(total(notes) < 2_000_000);
    const field = {
      subtype: 'Widget',
      fieldType: 'Tx',
      multiLine: true,
      rect,
      fieldValue: 'x\n'.repeat(1_000_000),
    };
    assert.ok(countLookups(Array(1_000).fill(field)).placed.length < 100_000);
  });

  test('is bounded for many options', () => {
    const options = Array.from({ length: 1_000_000 }, (_, at) => ({
      exportValue: `${at}`,
      displayValue: `<${at}>`,
    }));
    const values = options.map(({ exportValue }) => exportValue);
    const { placed } = countLookups([
      { subtype: 'Widget', fieldType: 'Ch', rect, options, fieldValue: values },
    ]);
    assert.ok(placed.length <= 1_000);
    assert.equal(placed[999]?.text, '<999>');
  });

  test('is an entry left out if it has another type than it must', () => {
    const subtypes = ['Widget', 'FreeText', 'Text', 'Highlight', 'Link', 'FileAttachment', 7, null];
    for (const value of [null, undefined, 7, '', [], {}, [null, 'x', Number.NaN, {}]]) {
      const entries = ['rect', 'contentsObj', 'titleObj', 'fieldValue', 'options', 'actions', 'textContent'];
      const others = ['quadPoints', 'url', 'file', 'rotation', 'defaultAppearanceData', 'fieldName', 'id'];
      const broken = Object.fromEntries([...entries, ...others].map((name) => [name, value]));
      const annotations = subtypes.flatMap((subtype) =>
        ['Tx', 'Ch', 'Btn', 'Sig'].map((fieldType) => ({ ...broken, subtype, fieldType })),
      );
      const { placed, notes } = countLookups([
        value,
        ...annotations,
        ...annotations.map((each) => ({ ...each, rect })),
      ]);
      assert.ok([...placed.map(({ text }) => text), ...notes].every((text) => text !== ''));
    }
  });
});
