import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cutText } from '../../support/cut-text.ts';
import { extracted, testFaults, testTexts, textOf } from './extraction.ts';
import { extractEmail } from './mail/extractors.ts';

const HEAD = 'From: Anna <anna@x.example>\r\nTo: bert@y.example\r\nSubject: The pump\r\n';
const HEAD_TEXT = '# The pump\n\nFrom: Anna <anna@x.example>\nTo: bert@y.example\n';
const HTML = 'Content-Type: text/html; charset=utf-8\r\n\r\n<h2>Leak</h2><p>in <b>hall</b> 3</p>';

/** A multipart of a kind, of parts each with its headers. */
const multipart = (kind: string, ...parts: string[]) =>
  `${HEAD}Content-Type: multipart/${kind}; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const mixed = (...parts: string[]) => multipart('mixed', ...parts);
const inner = (subject: string, body: string) => `From: eve@z.example\r\nSubject: ${subject}\r\n\r\n${body}`;
const attached = (content: string) => `Content-Type: message/rfc822\r\n\r\n${content}`;

function nestedMessages(levels: number): string {
  let message = 'Subject: innermost\r\n\r\nend';
  for (let level = 0; level < levels; level += 1) {
    message = `Subject: level ${level}\r\nContent-Type: message/rfc822\r\n\r\n${message}`;
  }
  return message;
}

function nestedParts(levels: number): string {
  const part = (level: number) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
  return HEAD + Array.from({ length: levels }, (_, level) => part(level)).join('');
}

describe('an e-mail', () => {
  test('is one part with its subject, sender, receivers, date and text', async () => {
    const date = 'Date: Wed, 31 Jan 2024 11:20:30 +0100\r\n';
    const text = `${HEAD_TEXT}Date: 2024-01-31 10:20 UTC\nSubject: The pump\n\nIt leaks.\n\nAnna`;
    assert.deepEqual(await extracted(extractEmail, `${HEAD}${date}\r\nIt leaks.\r\n\r\nAnna\r\n`), {
      title: 'The pump',
      date: '2024-01-31',
      parts: [{ text, place: null }],
    });
  });

  test('is read without a subject or a valid date', async () => {
    const text = 'From: a@x.example\nDate: some day\n\nhello';
    assert.deepEqual(await extracted(extractEmail, text), {
      title: null,
      date: null,
      parts: [{ text, place: null }],
    });
  });

  test('is read in its character set', async () => {
    for (const [charset, hex, text] of [
      ['utf-8', Buffer.from('ปั๊มรั่ว').toString('hex'), 'ปั๊มรั่ว'],
      ['iso-8859-1', '4772f6df65', 'Größe'],
      ['windows-1256', 'e3d6cec9', 'مضخة'],
      ['gb2312', 'cbaeb1c3', '水泵'],
      ['shift_jis', '837c83938376', 'ポンプ'],
      ['koi8-r', 'cec1d3cfd3', 'насос'],
      ['tis-620', 'bbd1eac1', 'ปั๊ม'],
    ] as const) {
      const bytes = Buffer.from(hex, 'hex');
      const raw = `${HEAD}Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: `;
      const plain = Buffer.concat([Buffer.from(`${raw}8bit\r\n\r\n`), bytes]);
      for (const content of [`${raw}base64\r\n\r\n${bytes.toString('base64')}`, plain]) {
        assert.ok((await textOf(extractEmail, content)).endsWith(`\n\n${text}`), charset);
      }
    }
  });

  testTexts(extractEmail, {
    'can have several receivers, groups of receivers and encoded names': [
      'From: =?utf-8?B?5rC05rO1?= <a@x.example>\r\nTo: "B, C" <b@x.example>,\r\n team: d@x.example, e@x.example;\r\nCc: f@x.example\r\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n =?utf-8?Q?_und?= mehr\r\n\r\nx',
      '# Grüße und mehr\n\nFrom: 水泵 <a@x.example>\nTo: B, C <b@x.example>, team: d@x.example, e@x.example\nCc: f@x.example\nSubject: Grüße und mehr\n\nx',
    ],
    'gives its text if it has HTML too': [
      multipart('alternative', '\r\nleak: hall 3', HTML),
      /pump\n\nleak: hall 3$/,
    ],
    'gives its HTML as Markdown if it has only HTML': [`${HEAD}${HTML}`, /## Leak\n\nin hall 3$/],
    'gives its HTML if its text is blank': [multipart('alternative', '\r\n \r\n', HTML), /## Leak/],
    'says of an encrypted or unreadable message within it no more than its head': [
      mixed('\r\nx', attached(inner('Shut', '-----BEGIN PGP MESSAGE-----\r\nhQEMA')), attached('no head')),
      /\n\nx\n\n## Shut\n\nFrom: eve@z.example\nSubject: Shut\n\n\(This message is encrypted\.\)$/,
    ],
    'includes messages within messages down to a maximum depth': [
      nestedMessages(30),
      /^# level 29\n(?:(?!level 23)[^])*###### level 24\n(?:(?!level 23)[^])*$/,
    ],
    'can begin with blank lines': [`\r\n\r\n${HEAD}\r\nhello`, /^# The pump\n[^]*hello$/],
    'can begin with a byte order mark': [`\ufeff${HEAD}\r\nhello`, /^# The pump\n[^]*hello$/],
    'can begin with a mailbox line': [
      `From anna@x.example Wed Jan 31 10:20:00 2024\r\n${HEAD}\r\nhello`,
      /^# The pump\n[^]*hello$/,
    ],
    'gives no characters that cannot be stored': [
      'From: a@x.example\r\nSubject: =?utf-8?Q?a=00b?=\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nc=00d',
      /^# a\ufffdb\n[^]*\n\nc\ufffdd$/,
    ],
    'with a long text is read completely': [
      `${HEAD}\r\n${'word\r\n'.repeat(20_000)}end`,
      /\n\n(?:word\n){20000}end$/,
    ],
    'is read if it is only signed': [
      multipart(
        'signed',
        '\r\nsigned words',
        'Content-Type: application/pgp-signature; name=signature.asc\r\n\r\nx',
      ),
      /signed words$/,
    ],
    'is read if it is signed as a whole': [
      `${HEAD}Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\n\r\nMIAG`,
      /Attachment: smime\.p7m$/,
    ],
  });

  test('includes messages within it under their own headings, whether inline or attached', async () => {
    const disposition = 'Content-Disposition: attachment; filename=x.eml\r\n';
    const second = attached(inner('Second', 'ثانية')).replace('\r\n', `\r\n${disposition}`);
    const text = await textOf(extractEmail, mixed('\r\nforwarded', attached(inner('First', 'ต้น')), second));
    const wanted =
      'forwarded\n\n## First\n\nFrom: eve@z.example\nSubject: First\n\nต้น\n\n## Second\n\nFrom: eve@z.example\nSubject: Second\n\nثانية';
    assert.ok(text.endsWith(wanted), text);
  });

  test('keeps lines that look like headings as text', async () => {
    const body = 'Regards\r\n-- \r\nAnna\r\n# no heading\r\n```\r\ncode';
    const text = await textOf(extractEmail, `${HEAD}\r\n${body}`);
    for (const { headings } of cutText(text)) assert.deepEqual(headings, ['The pump']);
    assert.match(text, /Regards\n\\-- \nAnna\n\\# no heading\n```\ncode\n```$/);
  });
});

describe('a file that is not a readable e-mail', () => {
  const encrypted = 'Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1';
  const smime = 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\n\r\nMIAG';
  testFaults(extractEmail, {
    'is refused without e-mail headers': [
      'invalid_email',
      ['', '\r\n\r\n', 'just words', 'Hello: world\r\n\r\nx', '%PDF-1.7', Uint8Array.of(0, 255, 7)],
    ],
    'is refused with headers or parts above the limits': [
      'invalid_email',
      [`${HEAD}X: ${'y'.repeat(3_000_000)}\r\n\r\nx`, nestedParts(300)],
    ],
    'is refused as locked if it is encrypted': [
      'locked',
      [
        `${HEAD}${smime}`,
        `${HEAD}Content-Type: application/x-pkcs7-mime\r\n\r\nMIAG`,
        multipart('encrypted; protocol="application/pgp-encrypted"', encrypted),
        `${HEAD}\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA\r\n-----END PGP MESSAGE-----`,
      ],
    ],
  });
});

test('the words of any text are found again in every encoding', async () => {
  const word = fc.oneof(
    fc.constantFrom('水泵', 'مضخة', 'ปั๊ม', 'Größe', 'AB-0042'),
    fc.stringMatching(/^[a-z]{1,9}$/),
  );
  const texts = fc.array(word, { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(texts, fc.boolean(), async (words, inParts) => {
      const content = Buffer.from(words.join('\r\n')).toString('base64');
      const part = `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}`;
      const text = await textOf(extractEmail, inParts ? mixed(part) : `${HEAD}${part}`);
      assert.ok(text.endsWith(`\n\n${words.join('\n')}`), text);
    }),
  );
});
