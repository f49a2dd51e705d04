import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractEmail } from '../../../worker/extract/mail.ts';
import { cutText } from '../../support/cut-text.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';

const HEAD = 'From: Anna <anna@x.example>\r\nTo: bert@y.example\r\nSubject: The pump\r\n';
const DATE = 'Date: Wed, 31 Jan 2024 11:20:30 +0100\r\n';
const HEAD_TEXT = '# The pump\n\nFrom: Anna <anna@x.example>\nTo: bert@y.example\n';

/** Parts of a multipart, each with its headers, as a body with the boundary `b`. */
const multipart = (...parts: string[]) =>
  `\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const mixed = (...parts: string[]) =>
  `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n${multipart(...parts)}`;
const encoded = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

describe('an e-mail', () => {
  test('is one part with its subject, sender, receivers, date and text', async () => {
    const raw = `${HEAD}${DATE}\r\nIt leaks.\r\n\r\nAnna\r\n`;
    const { title, date, parts } = await extracted(extractEmail, raw);
    assert.deepEqual([title, date], ['The pump', '2024-01-31']);
    assert.deepEqual(parts, [
      { text: `${HEAD_TEXT}Date: 2024-01-31 10:20 UTC\nSubject: The pump\n\nIt leaks.\n\nAnna`, place: null },
    ]);
  });

  test('can have several receivers, groups of receivers and encoded names', async () => {
    const text = await textOf(
      extractEmail,
      'From: =?utf-8?B?5rC05rO1?= <a@x.example>\r\nTo: "B, C" <b@x.example>,\r\n team: d@x.example, e@x.example;\r\nCc: f@x.example\r\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n =?utf-8?Q?_und?= mehr\r\n\r\nx',
    );
    assert.equal(
      text,
      '# Grüße und mehr\n\nFrom: 水泵 <a@x.example>\nTo: B, C <b@x.example>, team: d@x.example, e@x.example\nCc: f@x.example\nSubject: Grüße und mehr\n\nx',
    );
  });

  test('is read without a subject or a valid date', async () => {
    const raw = 'From: a@x.example\nDate: some day\n\nhello';
    const { title, date, parts } = await extracted(extractEmail, raw);
    assert.deepEqual([title, date], [null, null]);
    assert.equal(parts[0]?.text, 'From: a@x.example\nDate: some day\n\nhello');
  });

  test('is read in its character set', async () => {
    for (const [charset, bytes, text] of [
      ['utf-8', Buffer.from('ปั๊มรั่ว'), 'ปั๊มรั่ว'],
      ['iso-8859-1', Buffer.from('Größe', 'latin1'), 'Größe'],
      ['windows-1256', Uint8Array.of(0xe3, 0xd6, 0xce, 0xc9), 'مضخة'],
      ['gb2312', Uint8Array.of(0xcb, 0xae, 0xb1, 0xc3), '水泵'],
      ['shift_jis', Uint8Array.of(0x83, 0x7c, 0x83, 0x93, 0x83, 0x76), 'ポンプ'],
      ['koi8-r', Uint8Array.of(0xce, 0xc1, 0xd3, 0xcf, 0xd3), 'насос'],
      ['tis-620', Uint8Array.of(0xbb, 0xd1, 0xea, 0xc1), 'ปั๊ม'],
    ] as const) {
      const raw = `${HEAD}Content-Type: text/plain; charset=${charset}\r\n`;
      const base64 = `${raw}Content-Transfer-Encoding: base64\r\n\r\n${encoded(bytes)}`;
      const plain = Buffer.concat([Buffer.from(`${raw}Content-Transfer-Encoding: 8bit\r\n\r\n`), bytes]);
      assert.ok((await textOf(extractEmail, base64)).endsWith(`\n\n${text}`), charset);
      assert.ok((await textOf(extractEmail, plain)).endsWith(`\n\n${text}`), charset);
    }
  });

  test('gives its text, or its HTML as Markdown if it has only HTML', async () => {
    const html = 'Content-Type: text/html; charset=utf-8\r\n\r\n<h2>Leak</h2><p>in <b>hall</b> 3</p>';
    const both = `${HEAD}Content-Type: multipart/alternative; boundary=b\r\n${multipart('\r\nplain words', html)}`;
    const text = await textOf(extractEmail, both);
    assert.match(text, /plain words$/);
    assert.doesNotMatch(text, /Leak/);
    assert.match(await textOf(extractEmail, `${HEAD}${html}`), /## Leak\n\nin hall 3$/);
    const blank = `${HEAD}Content-Type: multipart/alternative; boundary=b\r\n${multipart('\r\n \r\n', html)}`;
    assert.match(await textOf(extractEmail, blank), /## Leak/);
  });

  test('names its attachments without reading them', async () => {
    const text = await textOf(
      extractEmail,
      mixed(
        '\r\nsee below',
        `Content-Type: text/plain\r\nContent-Disposition: attachment; filename*=utf-8''%E6%B3%B5.txt\r\n\r\nhidden words`,
        'Content-Type: application/pdf; name="plan.pdf"\r\n\r\n%PDF',
        'Content-Type: image/png\r\n\r\nx',
      ),
    );
    assert.ok(
      text.endsWith('see below\n\nAttachment: 泵.txt\nAttachment: plan.pdf\nAttachment: image/png'),
      text,
    );
    assert.doesNotMatch(text, /hidden/);
  });

  test('includes messages within it under their own headings, whether inline or attached', async () => {
    const inner = (subject: string, body: string) =>
      `From: eve@z.example\r\nSubject: ${subject}\r\n\r\n${body}`;
    const text = await textOf(
      extractEmail,
      mixed(
        '\r\nforwarded',
        `Content-Type: message/rfc822\r\n\r\n${inner('First', 'ต้น')}`,
        `Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=x.eml\r\n\r\n${inner('Second', 'ثانية')}`,
      ),
    );
    assert.ok(
      text.endsWith(
        'forwarded\n\n## First\n\nFrom: eve@z.example\nSubject: First\n\nต้น\n\n## Second\n\nFrom: eve@z.example\nSubject: Second\n\nثانية',
      ),
      text,
    );
    assert.deepEqual(cutText(text).at(-1)?.headings, ['The pump', 'Second']);
  });

  test('includes messages within messages down to a maximum depth', async () => {
    let message = 'Subject: innermost\r\n\r\nend';
    for (let level = 0; level < 30; level += 1) {
      message = `Subject: level ${level}\r\nContent-Type: message/rfc822\r\n\r\n${message}`;
    }
    const text = await textOf(extractEmail, message);
    assert.match(text, /^# level 29\n/);
    assert.match(text, /###### level 24\n/);
    assert.match(text, /Attachment: message\/rfc822$/);
    assert.doesNotMatch(text, /level 23/);
  });

  test('keeps lines that look like headings as text', async () => {
    const text = await textOf(
      extractEmail,
      `${HEAD}\r\nRegards\r\n-- \r\nAnna\r\n# no heading\r\n\`\`\`\r\ncode`,
    );
    for (const { headings } of cutText(text)) assert.deepEqual(headings, ['The pump']);
    assert.match(text, /Regards\n\\-- \nAnna\n\\# no heading\n```\ncode\n```$/);
  });

  test('can begin with blank lines, a byte order mark or a mailbox line', async () => {
    for (const before of ['\r\n\r\n', '\ufeff', 'From anna@x.example Wed Jan 31 10:20:00 2024\r\n']) {
      assert.match(await textOf(extractEmail, `${before}${HEAD}\r\nhello`), /^# The pump\n[^]*hello$/);
    }
  });

  test('gives no characters that cannot be stored', async () => {
    const raw = `From: a@x.example\r\nSubject: =?utf-8?Q?a=00b?=\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nc=00d`;
    const { title, parts } = await extracted(extractEmail, raw);
    assert.equal(title, 'a\ufffdb');
    assert.match(parts[0]?.text ?? '', /c\ufffdd$/);
  });

  test('with a long text is read completely', async () => {
    const text = await textOf(extractEmail, `${HEAD}\r\n${'word\r\n'.repeat(20_000)}end`);
    assert.ok(text.endsWith('word\nend'));
  });
});

describe('a file that is not a readable e-mail', () => {
  test('is refused without e-mail headers', async () => {
    for (const content of [
      '',
      '\r\n\r\n',
      'just words',
      'Hello: world\r\n\r\nx',
      '%PDF-1.7',
      Uint8Array.of(0, 255, 7),
    ]) {
      assert.equal((await faultOf(extractEmail, content)).code, 'invalid_email');
    }
  });

  test('is refused with headers or parts above the limits', async () => {
    assert.equal(
      (await faultOf(extractEmail, `${HEAD}X: ${'y'.repeat(3_000_000)}\r\n\r\nx`)).code,
      'invalid_email',
    );
    let parts = HEAD;
    for (let level = 0; level < 300; level += 1) {
      parts += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
    }
    assert.equal((await faultOf(extractEmail, parts)).code, 'invalid_email');
  });

  test('is refused as locked if it is encrypted', async () => {
    for (const content of [
      `${HEAD}Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\nMIAG`,
      `${HEAD}Content-Type: application/x-pkcs7-mime\r\n\r\nMIAG`,
      `${HEAD}Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b\r\n${multipart('Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1', 'Content-Type: application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----')}`,
      `${HEAD}\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA\r\n-----END PGP MESSAGE-----`,
    ]) {
      assert.equal((await faultOf(extractEmail, content)).code, 'locked');
    }
  });

  test('is read if it is only signed', async () => {
    const signed = `${HEAD}Content-Type: multipart/signed; boundary=b\r\n${multipart('\r\nsigned words', 'Content-Type: application/pgp-signature; name=signature.asc\r\n\r\nx')}`;
    assert.match(await textOf(extractEmail, signed), /signed words\n\nAttachment: signature\.asc$/);
    const opaque = `${HEAD}Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\n\r\nMIAG`;
    assert.match(await textOf(extractEmail, opaque), /Attachment: smime\.p7m$/);
  });
});

test('the words of any text are found again in every encoding', async () => {
  const word = fc.oneof(
    fc.constantFrom('水泵', 'مضخة', 'ปั๊ม', 'Größe', 'AB-0042'),
    fc.stringMatching(/^[a-z]{1,9}$/),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 30 }),
      fc.boolean(),
      async (words, inParts) => {
        const type = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n';
        const part = `${type}${encoded(words.join('\r\n'))}`;
        const text = await textOf(extractEmail, inParts ? mixed(part) : `${HEAD}${part}`);
        assert.ok(text.endsWith(`\n\n${words.join('\n')}`), text);
      },
    ),
  );
});

test('a damaged e-mail is read, or refused with a reported fault', async () => {
  const html = 'Content-Type: text/html; charset=utf-8\r\n\r\n<p>水泵 <b>x</b></p>';
  await assertDamageIsTold(
    extractEmail,
    mixed(
      'Content-Transfer-Encoding: quoted-printable\r\n\r\n=E6=B0=B4=\r\n=00',
      html,
      'Content-Type: message/rfc822\r\n\r\nSubject: =?utf-8?B?5rC05rO1?=\r\n\r\nx',
    ),
  );
  await assertDamageIsTold(extractEmail, `${HEAD}${html}`);
});

test('the reading process reads e-mails', async (t) => {
  const html = `${HEAD}Content-Type: text/html; charset=gb2312\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>=CB=AE=B1=C3</p>`;
  const { title, parts } = await extractedInProcess(t, 'message/rfc822', html);
  assert.equal(title, 'The pump');
  assert.match(parts[0]?.text ?? '', /\n\n水泵$/);
});
