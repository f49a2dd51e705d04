import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { joinFlowed } from '../../../../worker/extract/mail/flowed.ts';
import { type File, testTexts, textOf } from '../extraction.ts';
import { extractEmail } from './extractors.ts';
import { HEAD, multipart, part } from './mails.ts';

const given = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

/** The text of a mail below its head. */
async function bodyOf(content: File): Promise<string> {
  return (await textOf(extractEmail, content)).replace(/^[^]*?Subject: .*\n\n/, '');
}

const alternative = (plain: string, html: string) =>
  HEAD +
  multipart('alternative', [part('Content-Type: text/plain', plain), part('Content-Type: text/html', html)]);

describe('a mail with plain text and HTML', () => {
  const html = '<style>p { color: red }</style><p>Invoice <b>INV-20417</b> over 4200 euros is due.</p>';
  testTexts(extractEmail, {
    'gives the HTML if the plain text is a stub': [
      given('stub-plain.eml'),
      /Invoice INV-20417 over 4200 euros is due on 1 June\.$/,
    ],
    'gives the HTML if the plain text has only its beginning': [
      alternative('Invoice INV-20417', html),
      /over 4200 euros is due\.$/,
    ],
    'gives the plain text if it has most words': [
      alternative('invoice inv-20417: 4200 euros, due https://x.example/a', html),
      /\n\ninvoice inv-20417: 4200 euros, due https:\/\/x.example\/a$/,
    ],
    'gives the HTML if the stub is longer, in any language': [
      alternative(
        'Diese E-Mail ist im HTML-Format. Ihr Programm kann sie nicht anzeigen.',
        '<p>Ihre Rechnung RE-4417 ist da.</p>',
      ),
      /Ihre Rechnung RE-4417 ist da\./,
    ],
    'gives the plain text too if the HTML is a stub': [
      alternative('The order has twelve pumps, four valves and one motor.', '<p>See text.</p>'),
      /twelve pumps, four valves and one motor\.$/,
    ],
    'gives the plain text if the HTML shows only pictures': [
      alternative('words', '<img src=a.png>'),
      /\n\nwords$/,
    ],
    'compares words of scripts without spaces': [
      alternative('水泵漏水了，请看 HTML 版本', '<p>水泵漏水了，请看</p>'),
      /水泵漏水了，请看 HTML 版本$/,
    ],
    'does not name further forms of the text': [
      HEAD +
        multipart('alternative', [
          part('Content-Type: text/plain', 'words'),
          part('Content-Type: text/x-amp-html', '<p>words</p>'),
        ]),
      /\n\nwords$/,
    ],
    'gives the text that a mailing list adds': [
      HEAD +
        multipart('mixed', [
          multipart(
            'alternative',
            [part('Content-Type: text/plain', ' '), part('Content-Type: text/html', html)],
            'i',
          ),
          part('Content-Type: text/plain', 'To leave the list, write to us.'),
        ]),
      /is due\.\n\nTo leave the list, write to us\.$/,
    ],
  });
});

describe('the text of a mail', () => {
  const bytes = (hex: string) => Buffer.from(hex, 'hex').toString('latin1');
  const inLatin1 = (text: string) => Buffer.from(text, 'latin1');

  test('is decoded without a declared character set, and so are its headers', async () => {
    const text = await textOf(extractEmail, given('8bit-nocharset.eml'));
    assert.match(text, /^# Café\n[^]*\n\nDas Café öffnet um neun\.$/);
  });

  test('is decoded in spite of a wrong or unknown character set', async () => {
    const utf8 = Buffer.from('Größe 水泵').toString('latin1');
    for (const [charset, body, wanted] of [
      ['us-ascii', utf8, 'Größe 水泵'],
      ['iso-8859-1', utf8, 'Größe 水泵'],
      ['gb2312', utf8, 'Größe 水泵'],
      ['no-such-charset', utf8, 'Größe 水泵'],
      ['utf-8', bytes('4772f6df65206465722050756d7065'), 'Größe der Pumpe'],
      ['us-ascii', bytes('4772f6df65206465722050756d7065'), 'Größe der Pumpe'],
      ['cp936', bytes('cbaeb1c3'), '水泵'],
      ['x-sjis', bytes('837c83938376'), 'ポンプ'],
    ] as const) {
      const mail = `${HEAD}Content-Type: text/plain; charset=${charset}\r\n\r\n${body}`;
      assert.equal(await bodyOf(inLatin1(mail)), wanted, charset);
    }
  });

  test('of HTML is decoded by the character set that it says itself', async () => {
    const html = `<html><head><meta charset="koi8-r"></head><body><p>${bytes('cec1d3cfd3')}`;
    assert.equal(await bodyOf(inLatin1(`${HEAD}Content-Type: text/html\r\n\r\n${html}`)), 'насос');
  });

  test('keeps its character set if another one is only possible', async () => {
    const mail = `${HEAD}Content-Type: text/plain; charset=gb2312\r\n\r\n${bytes('d6d0c2b3')}`;
    assert.equal(await bodyOf(inLatin1(mail)), '中鲁');
  });

  test('can have names of files and subjects in 8-bit letters', async () => {
    const mail =
      `Subject: ${bytes('cec1d3cfd3')}\r\nFrom: a@x.example\r\nContent-Type: multipart/mixed; boundary=b; charset=koi8-r\r\n\r\n` +
      '--b\r\n\r\nx\r\n-- \r\nName: y\r\n' +
      `--b\r\nContent-Type: application/zip; name="${bytes('4772f6df65')}.zip"\r\n\r\nx\r\n--b--\r\n`;
    const text = await textOf(extractEmail, inLatin1(mail));
    assert.match(text, /^# насос\n/);
    assert.match(text, /Attachment: Größe\.zip$/);
  });
});

describe('flowed text', () => {
  test('is joined, but not with quoted lines', async () => {
    assert.equal(
      await bodyOf(given('quoted-thread.eml')),
      'Yes, approved.\n\nOn Thu, Bob wrote:\n> Is the budget 4200 euros?\n> > Older text',
    );
  });

  test('keeps its signature and its indented lines', () => {
    assert.equal(
      joinFlowed('one \ntwo\n-- \nAnna \nB\n  code\n>  > x', false),
      'one two\n-- \nAnna B\n code\n>  > x',
    );
  });

  test('loses the spaces that only break lines', () => {
    assert.equal(joinFlowed('水 \n泵\n', true), '水泵\n');
  });

  test('is marked at most ten times', () => {
    assert.equal(joinFlowed(`${'>'.repeat(100_000)} deep`, false), `${'> '.repeat(10)}deep`);
  });

  test('gives every word in its order, whatever the quoting', () => {
    const line = fc.tuple(fc.nat(12), fc.stringMatching(/^[a-z]{1,5}$/), fc.boolean());
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const written = lines.map(
          ([depth, word, flows]) => `${'>'.repeat(depth)} ${word}${flows ? ' ' : ''}`,
        );
        const words = joinFlowed(written.join('\r\n'), false).match(/[a-z]+/g) ?? [];
        assert.deepEqual(
          words,
          lines.map(([, word]) => word),
        );
      }),
    );
  });

  test('that is quoted and not flowed keeps its lines', async () => {
    assert.equal(await bodyOf(`${HEAD}\r\nYes\r\n> is it\r\n>> old`), 'Yes\n> is it\n>> old');
    assert.equal(await bodyOf(`${HEAD}\r\n${'>'.repeat(5000)} deep`), `${'>'.repeat(10)}deep`);
  });
});
