import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_PIECE_LENGTH, type Piece, TARGET_PIECE_LENGTH } from '../../shared/text/chunking.ts';
import { cutText } from '../support/cut-text.ts';

const compact = (text: string) => text.replace(/\s/g, '');
const texts = (pieces: Piece[]) => pieces.map((piece) => piece.text);
const sections = (document: string) => cutText(document).map(({ text, headings }) => ({ text, headings }));
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

const SENTENCES = {
  english: 'The pump in hall three leaks, and nobody has ordered the seal yet. ',
  german: 'Die Wärmerückgewinnungsanlage läuft seit Dr. Müllers Besuch wieder. ',
  russian: 'Насос в третьем зале протекает, а прокладку никто не заказал. ',
  greek: 'Η αντλία στην αίθουσα τρία στάζει. ',
  chinese: '三号厅的水泵漏水，还没有人订购密封圈。',
  japanese: '第三ホールのポンプが漏れています。誰も注文していません。',
  korean: '삼번 홀의 펌프가 새고 있습니다. ',
  thai: 'ปั๊มน้ำในห้องโถงสามรั่วและยังไม่มีใครสั่งซื้อซีล',
  arabic: 'المضخة في القاعة الثالثة تسرب، ولم يطلب أحد الحشية. ',
  hindi: 'तीसरे हॉल का पंप रिस रहा है और किसी ने सील नहीं मंगवाई। ',
  khmer: 'ស្នប់ទឹកនៅសាលទីបីលេចធ្លាយ',
  amharic: 'በሦስተኛው አዳራሽ ያለው ፓምፕ ያፈስሳል። ',
};

const fragment = fc.oneof(
  fc.constantFrom(...Object.values(SENTENCES)),
  fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n', ' ', '\t', '\n \n', '\u00a0', '\u3000', '\ufeff'),
  fc.constantFrom('\n# A\n', '\n## B\n', '\nC\n===\n', '\nD\n---\n', '# ', '- item\n'),
  fc.constantFrom('\n```\n', '\n~~~js\n', '| a | b |\n'),
  fc.constantFrom(
    '👨‍👩‍👧‍👦',
    '🇩🇪',
    'e\u0301\u0323',
    ' \u0301',
    '\ud800',
    '\udc00',
    '\0',
    '\u200b',
    'क्षि',
    '각',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** Documents from empty to some pieces long: fragments, many of them repeated. */
const document = fc
  .array(
    fc.tuple(
      fragment,
      fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 900 })),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.map(([text, times]) => text.repeat(times)).join(''));

describe('cutting any document', () => {
  test('keeps all text except white space, in pieces that are neither blank nor too long', () => {
    fc.assert(
      fc.property(document, (text) => {
        const pieces = texts(cutText(text));
        assert.equal(compact(pieces.join('')), compact(text));
        for (const piece of pieces) {
          assert.notEqual(piece.trim(), '');
          assert.ok(piece.length <= MAX_PIECE_LENGTH, `${piece.length}`);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('cuts text without white space only between graphemes', () => {
    const unit = fc.constantFrom(...'👨‍👩‍👧‍👦 🇩🇪 e\u0301\u0323 क्षि 각 각 ที่ ខ្មែ a 字 𠀀 。 .'.split(' '));
    const run = fc.tuple(unit, fc.integer({ min: 1, max: 1500 })).map(([text, times]) => text.repeat(times));
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
        const text = runs.join('');
        const starts = new Set(Array.from(graphemes.segment(text), (segment) => segment.index));
        let offset = 0;
        for (const piece of texts(cutText(text))) {
          assert.ok(starts.has(offset), `cut at ${offset}`);
          offset += piece.length;
        }
      }),
      { numRuns: 60 },
    );
  });

  test('returns the same pieces for CRLF as for LF', () => {
    const text = `# Title\n\n${SENTENCES.english.repeat(60)}\n\n\`\`\`\na\n\nb\n\`\`\`\n`;
    assert.deepEqual(cutText(text.replaceAll('\n', '\r\n')), cutText(text));
    // Long enough to be read in slices. A CRLF that two slices share would become two line breaks.
    const long = `${'a\n'.repeat(5)}\n`.repeat(40_000);
    for (const before of ['', 'b', 'bc']) {
      assert.deepEqual(cutText(before + long.replaceAll('\n', '\r\n')), cutText(before + long), before);
    }
  });
});

describe('cutting paragraphs', () => {
  test('packs paragraphs unchanged up to the target length, and a short end of a section beyond it', () => {
    const [short, long] = ['x'.repeat(500), 'x'.repeat(1190)];
    for (const [text, pieces] of [
      ['One.\n\nTwo.\n\n\nThree.\n', ['One.\n\nTwo.\n\n\nThree.']],
      [Array(4).fill(short).join('\n\n'), [`${short}\n\n${short}`, `${short}\n\n${short}`]],
      [`${long}\n\nThe end.`, [`${long}\n\nThe end.`]],
    ] as const)
      assert.deepEqual(texts(cutText(text)), pieces);
  });

  test('keeps a paragraph between the target and the maximum length whole', () => {
    const paragraph = SENTENCES.english.repeat(28).trimEnd();
    assert.ok(paragraph.length > TARGET_PIECE_LENGTH && paragraph.length <= MAX_PIECE_LENGTH);
    const text = `Before.\n\n${paragraph}\n\nAfter, and this one is not a scrap: ${'y'.repeat(200)}`;
    assert.equal(texts(cutText(text))[1], paragraph);
  });
});

describe('cutting a paragraph that is too long', () => {
  for (const [script, sentence] of Object.entries(SENTENCES)) {
    if (['thai', 'khmer'].includes(script)) continue;
    test(`cuts a long paragraph between sentences in ${script}`, () => {
      const pieces = texts(cutText(sentence.repeat(Math.ceil(5000 / sentence.length))));
      assert.ok(pieces.length > 2);
      for (const piece of pieces) {
        assert.match(piece, /[.。।።]$/u);
        assert.ok(piece.length > 600);
      }
    });
  }

  test('cuts a long paragraph between words in Thai, which does not mark sentences', () => {
    const pieces = texts(cutText(SENTENCES.thai.repeat(150)));
    const words = new Intl.Segmenter('th', { granularity: 'word' });
    const known = new Set(Array.from(words.segment(SENTENCES.thai.repeat(3)), ({ segment }) => segment));
    for (const piece of pieces) {
      const [first] = words.segment(piece);
      assert.ok(known.has(first!.segment), first!.segment);
    }
  });

  test('keeps sentences together that span several lines', () => {
    const sentence = 'The pump in hall three leaks,\nand nobody has ordered\nthe seal yet. ';
    for (const piece of texts(cutText(sentence.repeat(100)))) assert.match(piece, /^The pump[^]*yet\.$/);
  });

  test('cuts at white space if one sentence is too long', () => {
    const pieces = texts(cutText('lorem ipsum dolor sit amet '.repeat(300)));
    assert.ok(pieces.length > 3);
    for (const piece of pieces)
      assert.match(piece, /^(lorem|ipsum|dolor|sit|amet) [^]* (lorem|ipsum|dolor|sit|amet)$/);
  });

  test('cuts inside a grapheme only if the grapheme is longer than a piece', () => {
    const pieces = texts(cutText(`a${'\u0301'.repeat(4500)}`));
    assert.equal(pieces.join('').length, 4501);
    assert.equal(pieces[0]!.length, MAX_PIECE_LENGTH);
    const marks = texts(cutText(`a${'\u{1e8d0}'.repeat(2500)}`));
    for (const piece of marks) assert.ok(piece.isWellFormed());
  });

  test('leaves no short piece at the end', () => {
    const lengths = cutText('z'.repeat(2010)).map(({ text }) => text.length);
    assert.deepEqual(lengths, [1005, 1005]);
  });
});

describe('cutting at headings', () => {
  test('begins a piece at each heading and gives it the path of its headings', () => {
    const text =
      'Intro.\n\n# Guide\nHello.\n\n## Install\nRun it.\n\n### Linux\nApt.\n\n## Use\nType.\n\n# End\nBye.';
    assert.deepEqual(sections(text), [
      { text: 'Intro.', headings: [] },
      { text: '# Guide\nHello.', headings: ['Guide'] },
      { text: '## Install\nRun it.', headings: ['Guide', 'Install'] },
      { text: '### Linux\nApt.', headings: ['Guide', 'Install', 'Linux'] },
      { text: '## Use\nType.', headings: ['Guide', 'Use'] },
      { text: '# End\nBye.', headings: ['End'] },
    ]);
  });

  test('keeps a heading and the next one directly below it in one piece, and reads underlined lines as headings', () => {
    assert.deepEqual(sections('# Guide\n\n## Install\n\nRun it.'), [
      { text: '# Guide\n\n## Install\n\nRun it.', headings: ['Guide', 'Install'] },
    ]);
    assert.deepEqual(sections('Guide\n=====\n\nHello.\n\nInstall\n---\nRun it.'), [
      { text: 'Guide\n=====\n\nHello.', headings: ['Guide'] },
      { text: 'Install\n---\nRun it.', headings: ['Guide', 'Install'] },
    ]);
  });

  test('removes closing marks and surrounding spaces from a heading in the path', () => {
    assert.deepEqual(cutText('  ##  C# and F# ##  \nText.')[0]!.headings, ['C# and F#']);
  });

  test('keeps a heading with the beginning of a paragraph that is too long', () => {
    for (const filler of [SENTENCES.english, SENTENCES.thai, 'x']) {
      const pieces = cutText(`# Pumps\n\n${filler.repeat(Math.ceil(6000 / filler.length))}`);
      assert.ok(pieces[0]!.text.length > 500);
      for (const piece of pieces) assert.deepEqual(piece.headings, ['Pumps']);
    }
  });

  test('packs many tiny sections into pieces in proportion to the length of the text', () => {
    const text = '# a\nb\n'.repeat(13_312);
    const pieces = cutText(text);
    assert.ok(pieces.length < 100 + text.length / 100 + 1, `${pieces.length}`);
    assert.deepEqual(pieces[0], { text: '# a\nb', headings: ['a'], repeated: 0, gap: '' });
    assert.ok(pieces.at(-1)!.text.length <= TARGET_PIECE_LENGTH);
    assert.equal(compact(texts(pieces).join('')), compact(text));
    // A hundred may be as small as they are, and sections of an ordinary length stay apart, however many.
    assert.equal(cutText('# a\nb\n'.repeat(100)).length, 100);
    assert.equal(cutText(`# Term\n${'what it means '.repeat(8)}\n`.repeat(400)).length, 400);
  });

  test('ignores headings in fenced code, even if the code is never closed', () => {
    const text =
      '# Real\n\n```sh\n# no heading\nls\n~~~\n# nor this\n```\n\n~~~~\n# nor here\n~~~\n# still code';
    assert.deepEqual(sections(text), [{ text, headings: ['Real'] }]);
  });

  test('does not read tags, marks without a title, rules, list items or very long lines as headings', () => {
    const text = `#tag\n\n#\n\n---\n\n- item\n---\n\nTwo lines\nand a rule\n---\n\n####### seven\n\n# ${'long '.repeat(60)}`;
    assert.deepEqual(sections(text), [{ text: text.trimEnd(), headings: [] }]);
  });
});

describe('cutting fenced code', () => {
  test('cuts long code between lines and keeps the indentation', () => {
    const line = '    if (done) return; // Never. Mind.\n';
    const pieces = texts(cutText(`\`\`\`js\n${line.repeat(200)}\`\`\`\n`));
    assert.ok(pieces.length > 4);
    for (const piece of pieces.slice(1)) assert.ok(piece.startsWith('    if (done)'));
    for (const piece of pieces.slice(0, -1)) assert.ok(piece.endsWith('Mind.'));
  });

  test('keeps the blank lines of code', () => {
    const text = '```\na\n\n\n\nb\n```';
    assert.deepEqual(texts(cutText(text)), [text]);
  });
});
