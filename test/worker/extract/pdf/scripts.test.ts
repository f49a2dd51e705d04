import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { at, gridAt, widthOf } from './drawn-page.ts';
import { asShown, Script } from './drawn-script.ts';

const hebrew = new Script('אבגדהוזחטיכלמנסעפצקרשתםןףץך ()[]0123456789.,+-/:abcdefghijklmnopqrstuvwxyz');
const PARAGRAPH = [
  'החסידה מקננת בקני הסוף שליד האגם וניזונה',
  'מדגים שהיא תופסת במים הרדודים עם שחר ועד',
  'הערב.',
];

describe('words from right to left', () => {
  const sentence = 'שלום עולם טוב וגדול';

  test('are read in order, in whichever order they are drawn', async () => {
    const words = hebrew.words(500, 700, sentence);
    assert.equal(await hebrew.read(...words), sentence);
    assert.equal(await hebrew.read(...words.toReversed()), sentence);
    const lines = hebrew.lines(500, 700, PARAGRAPH);
    const text = PARAGRAPH.join(' ');
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(lines, { minLength: lines.length }), async (drawn) =>
        assert.equal(await hebrew.read(...drawn), text),
      ),
      { numRuns: 20 },
    );
  });

  test('are read in order if one operator draws the line as it is shown', async () => {
    assert.equal(await hebrew.read(hebrew.shown(300, 700, asShown(sentence))), sentence);
  });

  test('are read in order if each letter is drawn by itself', async () => {
    const letters = hebrew.letters(500, 700, PARAGRAPH[0] ?? '');
    assert.equal(await hebrew.read(...letters), PARAGRAPH[0]);
    assert.equal(await hebrew.read(...letters.toReversed()), PARAGRAPH[0]);
  });

  test('keep the order of the digits of numbers and dates', async () => {
    const line = 'מחיר 120.50 שקל ביום 14/05/2024 בעיר';
    assert.equal(await hebrew.read(...hebrew.words(500, 700, line)), line);
  });

  test('keep a telephone number that is drawn from left to right', async () => {
    const number = '+972 3 123 4567';
    const [x, right] = [300, 300 + hebrew.width(number) + hebrew.width(' ')];
    assert.equal(
      await hebrew.read(
        hebrew.shown(x, 700, number),
        ...hebrew.words(right + hebrew.width('טלפון'), 700, 'טלפון'),
      ),
      `טלפון ${number}`,
    );
  });

  test('keep the order of Latin words within them', async () => {
    const line = `${asShown('נשמר במקום אחר')} final report ${asShown('הקובץ החדש')}`;
    assert.equal(await hebrew.read(hebrew.shown(200, 700, line)), 'הקובץ החדש final report נשמר במקום אחר');
  });

  test('keep their order within a Latin sentence', async () => {
    const before = 'The words ';
    const start = 50 + widthOf(before);
    const end = start + hebrew.width('שלום עולם') + widthOf(' ');
    assert.equal(
      await hebrew.read(
        at(50, 700, before),
        hebrew.shown(start, 700, asShown('שלום עולם')),
        at(end, 700, 'mean hello world.'),
      ),
      'The words שלום עולם mean hello world.',
    );
  });

  for (const [how, drawn] of [
    ['the brackets that are shown', 'שלום )עולם( טוב'],
    ['the brackets that are meant', 'שלום (עולם) טוב'],
  ] as const) {
    test(`open and close brackets if the font names ${how}`, async () => {
      assert.equal(await hebrew.read(hebrew.shown(300, 700, asShown(drawn))), 'שלום (עולם) טוב');
    });
  }
});

describe('a page from right to left', () => {
  const rows = [
    ['שם', 'כמות', 'מחיר'],
    ['ברז', '12', '4.50'],
    ['צינור ארוך', '3', '120.00'],
    ['אטם', '140', '2.25'],
  ];
  const table =
    '| שם | כמות | מחיר |\n| - | - | - |\n| ברז | 12 | 4.50 |\n| צינור ארוך | 3 | 120.00 |\n| אטם | 140 | 2.25 |';
  const cells = rows.flatMap((row, index) =>
    row.flatMap((text, column) => hebrew.words([500, 350, 200][column] ?? 0, 701 - 20 * index, text)),
  );

  test('has its paragraphs joined', async () => {
    assert.equal(await hebrew.read(...hebrew.lines(500, 700, PARAGRAPH)), PARAGRAPH.join(' '));
  });

  test('has the columns of its tables from right to left', async () => {
    assert.equal(await hebrew.read(...cells), table, 'with gaps');
    const grid = gridAt([110, 210, 360, 510], [715, 695, 675, 655, 635]);
    assert.equal(await hebrew.read(...grid, ...cells), table, 'with rules');
  });

  test('has its columns of text from right to left', async () => {
    const right = ['החסידה מקננת בקני', 'הסוף שליד האגם הגדול', 'וניזונה מדגים שהיא', 'תופסת במים בשעת שחר'];
    const left = ['הברז נפתח בעזרת', 'המפתח שתלוי לידו', 'ולעולם לא ביד אחת', 'כי היא תישבר מיד'];
    assert.equal(
      await hebrew.read(...hebrew.lines(260, 700, left), ...hebrew.lines(540, 700, right)),
      `${right.join('\n')}\n\n${left.join('\n')}`,
    );
  });
});

describe('forms of letters and marks', () => {
  test('are letters as they are written, in reading order, if the font names forms of Arabic letters', async () => {
    for (const [forms, text] of [
      ['\ufeb3\ufefc\ufee1', 'سلام'],
      ['\ufe91\ufef4\ufe96', 'بيت'],
      ['\ufea9\ufe8d\ufead', 'دار'],
    ] as const) {
      const script = new Script(forms);
      assert.equal(await script.read(script.shown(300, 700, asShown(forms))), text);
    }
  });

  test('stay with their letters', async () => {
    const word = 'ש\u05c1\u05b8לו\u05b9ם';
    const script = new Script(word);
    assert.equal(await script.read(...script.letters(400, 700, word)), word, 'letter by letter');
    const shown = [...word.matchAll(/.\p{M}*/gu)]
      .map(([letter]) => letter)
      .reverse()
      .join('');
    assert.equal(await script.read(script.shown(300, 700, shown)), word, 'in one piece');
  });

  test('are ligatures and composed letters as they are written', async () => {
    const text = 'o\ufb03ce \ufb01sh cafe\u0301';
    const script = new Script(text);
    assert.equal((await script.read(script.shown(50, 700, text))).normalize('NFC'), 'office fish café');
  });
});
