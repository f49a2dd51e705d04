import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extracted, type File, testFaults } from './extraction.ts';
import { extractMbox } from './mail/extractors.ts';

const FROM = 'From anna@x.example Wed Jan 31 10:20:00 2024';
const message = (subject: string, body: string) =>
  `${FROM}\nFrom: anna@x.example\nSubject: ${subject}\n\n${body}\n\n`;
const TWO = message('One', 'first') + message('Two', 'second');

/** The texts of the messages, without their heads. */
async function textsOf(content: File): Promise<string[]> {
  const { parts } = await extracted(extractMbox, content);
  return parts.map(({ text }) => text.replace(/^# (.*)\n\nFrom: anna@x.example\nSubject: \1(?:\n\n|$)/, ''));
}

describe('a mailbox', () => {
  test('becomes one part per message', async () => {
    const { title, parts } = await extracted(extractMbox, message('第二', '漏水') + message('3', 'ปั๊ม مضخة'));
    assert.equal(title, null);
    assert.deepEqual(parts, [
      { text: '# 第二\n\nFrom: anna@x.example\nSubject: 第二\n\n漏水', place: null },
      { text: '# 3\n\nFrom: anna@x.example\nSubject: 3\n\nปั๊ม مضخة', place: null },
    ]);
  });

  test('can be written by any mail program, and begin with blank lines or a byte order mark', async () => {
    for (const from of [
      'From - Wed Jan 31 10:20:00 2024',
      'From MAILER-DAEMON Wed Jan  3 10:20:00 2024',
      'From 1789@xxx Wed Jan 31 10:20:00 +0000 2024',
      'From a@x.example  Wed Jan 31 10:20 CET 2024 remote from y',
      'From "a b"@x.example 2024-01-31T10:20:00Z',
    ]) {
      const box = TWO.replaceAll(FROM, from);
      const dense = box.replaceAll('\n\nFrom ', '\nFrom ');
      for (const form of [box, box.replaceAll('\n', '\r\n'), dense, `\n\r\n${box}`, `\ufeff${box}`]) {
        assert.deepEqual(await textsOf(form), ['first', 'second'], from);
      }
    }
  });

  test('keeps lines that begin with From, quoted or not', async () => {
    const body = 'first\n\nFrom here on it runs.\nFrom 10:20 on\n>From Anna\n>>From Bert\n> From Eve\nlast';
    assert.deepEqual(await textsOf(message('One', body) + message('Two', 'x')), [
      body.replace('>From Anna', 'From Anna').replace('>>From Bert', '>From Bert'),
      'x',
    ]);
  });

  test('can have messages in several character sets', async () => {
    const inCharset = (charset: string, bytes: Uint8Array) =>
      Buffer.concat([
        Buffer.from(`${FROM}\nSubject: x\nContent-Type: text/plain; charset=${charset}\n\n`),
        bytes,
        Buffer.from('\n\n'),
      ]);
    const latin = inCharset('iso-8859-1', Buffer.from('Gr\u00f6\u00dfe', 'latin1'));
    const found = await textsOf(Buffer.concat([latin, inCharset('gb2312', Buffer.from('cbaeb1c3', 'hex'))]));
    assert.deepEqual(
      found.map((text) => text.split('\n').at(-1)),
      ['Größe', '水泵'],
    );
  });

  test('with an encrypted or unreadable message gives the other messages', async () => {
    const found = await textsOf(
      message('Locked', '-----BEGIN PGP MESSAGE-----\nx') +
        `${FROM}\nNo-Header: of an e-mail\n\nlost\n\n` +
        `${FROM}\nSubject: Deep\nContent-Type: text/html\n\n${'<div>'.repeat(100_000)}\n\n` +
        message('Good', 'words'),
    );
    assert.equal(found.length, 4);
    assert.match(found[0] ?? '', /^\(.*encrypted/);
    assert.equal(found.at(-1), 'words');
  });

  test('with many messages is read completely, and reports its progress with each', async () => {
    const told: number[] = [];
    const many = Buffer.from(message('One', 'From x\nword\n'.repeat(5)).repeat(500));
    const { parts } = await extractMbox(many, (share) => told.push(share));
    assert.deepEqual([parts.length, told.length], [500, 500]);
    assert.ok(told.every((share, index) => share > (told[index - 1] ?? 0) && share <= 1));
    assert.ok((told.at(-1) ?? 0) > 0.99);
  });
});

testFaults(extractMbox, {
  'a file that does not begin like a mailbox is refused': [
    'invalid_mbox',
    [
      '',
      'From here on words',
      'From 10:20 on 2024 words',
      `Subject: x\n\n${TWO}`,
      FROM,
      `${FROM}\n`,
      `${FROM}\nno header\n`,
      Uint8Array.of(0, 1, 2, 255),
    ],
  ],
});

test('any messages are found again, each in its part', async () => {
  const line = fc.oneof(
    fc.constantFrom('From a', '>From b', '水泵', '', 'مضخة'),
    fc.stringMatching(/^[a-z ]{0,9}$/),
  );
  const bodies = fc.array(fc.array(line, { maxLength: 6 }), { minLength: 1, maxLength: 6 });
  const quote = (body: string) => body.replace(/^(>*From )/gm, '>$1');
  await fc.assert(
    fc.asyncProperty(bodies, async (all) => {
      const box = all.map((body, index) => message(`M${index}`, quote(body.join('\n')))).join('');
      assert.deepEqual(
        await textsOf(box),
        all.map((body) => body.join('\n').trim()),
      );
    }),
  );
});
