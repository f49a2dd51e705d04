import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeText, decodeTextOrReplace } from '../../../worker/extract/encoding/decode.ts';
import { extractHtml } from '../../../worker/extract/html.ts';
import { extractPlainText } from '../../../worker/extract/plain-text.ts';
import { assertDamageIsTold, extracted, testFaults } from './extraction.ts';

const hex = (bytes: string) => Buffer.from(bytes, 'hex');
const latin1 = (bytes: string) => Buffer.from(bytes, 'latin1');

/** The bytes of a text in a legacy encoding, by looking for each character in what the encoding can make. */
function encode(encoding: string, text: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, readonly number[]>();
  const add = (sequence: readonly number[]) => {
    const decoded = decoder.decode(Uint8Array.from(sequence));
    if (!bytes.has(decoded)) bytes.set(decoded, sequence);
  };
  for (let first = 0; first < 256; first++) add([first]);
  if ([...text].some((character) => !bytes.has(character))) {
    for (let first = 0x81; first < 0xff; first++) {
      for (let second = 0x40; second < 0xff; second++) add([first, second]);
    }
  }
  return Buffer.from([...text].flatMap((character) => bytes.get(character) ?? assert.fail(character)));
}

/** A short text in each encoding: what spreadsheets, editors and mail programs write in its countries. */
const TEXTS: readonly (readonly [encoding: string, text: string])[] = [
  ['windows-1252', 'Straße;Ort\r\nMünchner Straße 5;Köln\r\n'],
  ['windows-1252', 'Le café ouvre à neuf heures, même le dimanche.'],
  ['windows-1252', 'El señor Muñoz llegó mañana: ¿dónde está?'],
  ['windows-1252', 'It’s “quoted” – and nothing else is outside ASCII.'],
  ['windows-1252', '20 ± 2 °C, ½ cup, § 3'],
  ['windows-1252', 'Price:\u00a0100 ± 2'],
  ['windows-1250', 'Zażółć gęślą jaźń; wszystkie części są dostępne'],
  ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy'],
  ['iso-8859-2', 'Příliš žluťoučký kůň úpěl ďábelské ódy'],
  ['iso-8859-15', 'Prix : 12 € l’œuvre'.replace('’', "'")],
  ['windows-1251', 'Имя;Отдел\r\nИванов;Бухгалтерия\r\n'],
  ['windows-1251', 'Всі люди народжуються вільними і рівними'],
  ['koi8-r', 'Все люди рождаются свободными'],
  ['iso-8859-5', 'Все люди рождаются свободными'],
  ['ibm866', 'Все люди рождаются свободными'],
  ['windows-1253', 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι'],
  ['windows-1254', 'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar'],
  ['windows-1255', 'כל בני האדם נולדו בני חורין'],
  ['windows-1256', 'يولد جميع الناس أحرارا متساوين'],
  ['windows-1257', 'Visi žmonės gimsta laisvi ir lygūs savo orumu'],
  ['windows-874', 'มนุษย์ทั้งหลายเกิดมามีอิสระ'],
  ['shift_jis', '商品名,価格\r\nりんご,120\r\nみかん,80\r\n'],
  ['shift_jis', 'ｺｰﾄﾞ,ﾅﾏｴ\r\n001,ﾔﾏﾀﾞ\r\n'],
  ['shift_jis', `${'1,part,checked ok\r\n'.repeat(200)}201,部品,済\r\n`],
  ['euc-jp', '商品名,価格\r\nりんご,120\r\nみかん,80\r\n'],
  ['gbk', '姓名,部门,电话\r\n王小明,财务部,6100\r\n'],
  ['big5', '姓名,部門,電話\r\n王小明,財務部,6100\r\n'],
  ['euc-kr', '이름,부서,전화\r\n김철수,재무부,6100\r\n'],
];

describe('a text in another encoding', () => {
  for (const [encoding, text] of TEXTS) {
    test(`is read in ${encoding}: ${text.slice(0, 20).replace(/\r\n/g, ' ')}`, () => {
      assert.deepEqual(decodeText(encode(encoding, text)), { text, encoding });
    });
  }

  test('is read in ISO-2022-JP, whose bytes are all ASCII', () => {
    assert.deepEqual(decodeText(hex('1b2442467c4b5c1b28420a')), { text: '日本\n', encoding: 'iso-2022-jp' });
    assert.equal(decodeText(latin1('\x1b(B\x1b[0m ready')).encoding, null, 'an escape of a terminal');
  });

  test('is read in GB 18030 if a character has four bytes', () => {
    const bytes = Buffer.concat([
      encode('gbk', '王小明的电话号码是，'),
      hex('8139ee39'),
      encode('gbk', '财务部'),
    ]);
    assert.equal(decodeText(bytes).encoding, 'gb18030');
  });

  test('is detected if its only letter outside ASCII comes late', () => {
    const { text, encoding } = decodeText(latin1(`${'The pump runs. '.repeat(50_000)}Caf\xe9`));
    assert.deepEqual([text.slice(-4), encoding], ['Café', 'windows-1252']);
  });

  test('is read with U+FFFD for a byte that its encoding does not explain', () => {
    for (const [encoding, text] of TEXTS.filter(
      ([each, { length }]) => length < 100 && /-125[0135]|jis|gbk/.test(each),
    )) {
      const long = `${text}\n`.repeat(5);
      const bytes = encode(encoding, long);
      const end = bytes.lastIndexOf('\n', bytes.length - 2);
      const damaged = Buffer.concat([bytes.subarray(0, end), hex('ff0a'), bytes.subarray(end)]);
      const decoded = decodeText(damaged);
      assert.equal(decoded.text.slice(0, 2 * text.length), long.slice(0, 2 * text.length), encoding);
      assert.equal(decoded.encoding, encoding);
    }
  });

  test('is told by the extractor, and in HTML unless the page declares it', async () => {
    const page = '<p>Gr\xf6\xdfe';
    const [text, detected, declared] = await Promise.all([
      extracted(extractPlainText, latin1('Gr\xf6\xdfe')),
      extracted(extractHtml, latin1(page)),
      extracted(extractHtml, latin1(`<meta charset="iso-8859-1">${page}`)),
    ]);
    assert.deepEqual(
      [text, detected, declared].map(({ encoding, parts }) => [parts[0]?.text, encoding]),
      [
        ['Größe', 'windows-1252'],
        ['Größe', 'windows-1252'],
        ['Größe', undefined],
      ],
    );
  });
});

describe('a text in Unicode', () => {
  const UTF_32 = (text: string, little: boolean) =>
    Buffer.concat(
      [...text].map((character) => {
        const unit = Buffer.alloc(4);
        unit[little ? 'writeUInt32LE' : 'writeUInt32BE'](character.codePointAt(0) ?? 0);
        return unit;
      }),
    );
  const wide = (text: string): [string, Buffer][] => [
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16be', Buffer.from(text, 'utf16le').swap16()],
    ['utf-32le', UTF_32(text, true)],
    ['utf-32be', UTF_32(text, false)],
  ];
  const SAMPLES = [
    'Plain text.\r\n',
    'Größe 5\n',
    'Привет, мир\n',
    'これは日本語です。\n',
    '你好，世界。\r\n',
    'Ελλάδα 5\n',
    'שלום עולם',
  ];

  test('is UTF-16 or UTF-32 with or without a byte order mark', () => {
    for (const sample of SAMPLES) {
      for (const [encoding, bytes] of wide(sample)) {
        assert.deepEqual(decodeText(bytes), { text: sample, encoding }, `${encoding} ${sample}`);
      }
      for (const [encoding, bytes] of wide(`\ufeff${sample}`)) {
        assert.deepEqual(decodeText(bytes), { text: sample, encoding }, `marked ${encoding} ${sample}`);
      }
    }
  });

  test('is UTF-8 whatever it contains, except NUL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (given) => {
        const text = given.replaceAll('\0', '').toWellFormed();
        // UTF-16 with only control characters and letters is UTF-8 too.
        fc.pre(!/\p{Cc}/u.test(text) && !text.startsWith('\ufeff'));
        assert.deepEqual(decodeText(Buffer.from(text)), { text, encoding: null });
        assert.deepEqual(decodeText(Buffer.from(`\ufeff${text}`)), { text, encoding: null });
      }),
    );
  });

  test('is UTF-8 with U+FFFD for a few bytes that are wrong', () => {
    for (const [bytes, text] of [
      ['Gr\xc3\xb6\xc3\x9fe \xe9', 'Größe \ufffd'],
      ['Gr\xc3\xb6\xc3\x9fe \xc3', 'Größe \ufffd'],
      ['\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe \xff.', 'Größe \ufffd.'],
    ] as const) {
      assert.deepEqual(decodeText(latin1(bytes)), { text, encoding: null });
    }
  });

  test('can have a few NULs', () => {
    const text = 'A line of a log.\n'.repeat(20);
    assert.equal(decodeText(Buffer.from(`${text}\0`)).text, `${text}\ufffd`);
  });
});

describe('bytes that are no text', () => {
  const zeros = Buffer.alloc(100_000);
  testFaults(extractPlainText, {
    'are refused if they are binary data': [
      'not_text',
      [
        hex('89504e470d0a1a0a0000000d49484452'),
        hex('ffd8ffe000104a46494600010100'),
        hex('504b030414000000080000ff'),
        hex('1f8b0808616263d3420102'),
        'a,b\0',
        'file\0names\0without\0ends\0',
        'hello\0world\0foo\0'.repeat(10),
        zeros,
        Uint8Array.from({ length: 4_000 }, (_, index) => (index * 167 + (index >> 3)) % 256),
      ],
    ],
    'are refused if no encoding explains them': [
      'invalid_encoding',
      [latin1('x\x81y'), hex('8130813081308130')],
    ],
  });

  test('become U+FFFD for a caller that must not fail', () => {
    assert.deepEqual(decodeTextOrReplace(latin1('x\x81y')), { text: 'x\ufffdy', encoding: null });
    assert.deepEqual(decodeTextOrReplace(latin1('Das Caf\xe9 \xf6ffnet.')), {
      text: 'Das Café öffnet.',
      encoding: 'windows-1252',
    });
  });

  test('are refused or read, however a file is damaged', async () => {
    await assertDamageIsTold(extractPlainText, encode('shift_jis', '商品名,価格\r\nりんご,120\r\n'));
    await assertDamageIsTold(extractPlainText, Buffer.from('Plain text.\r\n', 'utf16le'));
  });

  test('are decoded once however many there are', () => {
    for (const bytes of ['81', 'ff', '8130', 'e941', '1b2442', 'c4', '00']) {
      const large = Buffer.alloc(2 * 1024 * 1024, hex(bytes));
      const { text } = decodeTextOrReplace(large);
      assert.ok(text.length <= large.length);
    }
  });
});

describe('the encoding of a page', () => {
  const html = async (content: Uint8Array) => {
    const { parts, title, encoding = null } = await extracted(extractHtml, content);
    return [title, parts[0]?.text, encoding];
  };

  test('is UTF-8 if it is, whatever the page declares', async () => {
    for (const charset of ['iso-8859-1', 'gb2312', 'windows-1251']) {
      const page = `<meta http-equiv="Content-Type" content="text/html; charset=${charset}"><title>Öffnung</title><p>Café – täglich`;
      assert.deepEqual(await html(Buffer.from(page)), ['Öffnung', 'Café – täglich', null]);
    }
  });

  test('is declared after the first 1,024 bytes', async () => {
    const page = Buffer.concat([
      Buffer.from(`<html><!-- ${'x'.repeat(20_000)} --><meta charset="windows-1251"><p>`),
      encode('windows-1251', 'Аренда офиса'),
    ]);
    assert.deepEqual(await html(page), [null, 'Аренда офиса', null]);
  });

  test('explains all but a few bytes, which become U+FFFD', async () => {
    const page = Buffer.from(`<p>${'Größe aus München. '.repeat(20)}Bad`);
    assert.match(String((await html(Buffer.concat([page, hex('e92e')])))[1]), /Größe .* Bad\ufffd\.$/);
  });

  test('is detected if the declared one makes no text of it', async () => {
    const page = Buffer.concat([
      Buffer.from('<meta charset="utf-8"><p>'),
      encode('shift_jis', 'りんごは青森産です'),
    ]);
    assert.deepEqual(await html(page), [null, 'りんごは青森産です', 'shift_jis']);
  });
});
