import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractMbox } from '../../../worker/extract/mail.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf } from './extraction.ts';

const FROM = 'From anna@x.example Wed Jan 31 10:20:00 2024';
const message = (subject: string, body: string) =>
  `${FROM}\nFrom: anna@x.example\nSubject: ${subject}\n\n${body}\n\n`;
const head = (subject: string) => `# ${subject}\n\nFrom: anna@x.example\nSubject: ${subject}\n\n`;

async function texts(content: string | Uint8Array): Promise<string[]> {
  return (await extracted(extractMbox, content)).parts.map((part) => part.text);
}

describe('a mailbox', () => {
  test('becomes one part per message', async () => {
    const { title, parts } = await extracted(
      extractMbox,
      message('One', 'leaks') + message('第二', '漏水') + message('Three', 'ปั๊ม مضخة'),
    );
    assert.equal(title, null);
    assert.deepEqual(parts, [
      { text: `${head('One')}leaks`, place: null },
      { text: `${head('第二')}漏水`, place: null },
      { text: `${head('Three')}ปั๊ม مضخة`, place: null },
    ]);
  });

  test('can be written by any mail program', async () => {
    for (const from of [
      'From - Wed Jan 31 10:20:00 2024',
      'From MAILER-DAEMON Wed Jan  3 10:20:00 2024',
      'From 1789@xxx Wed Jan 31 10:20:00 +0000 2024',
      'From a@x.example  Wed Jan 31 10:20 CET 2024 remote from y',
      'From "a b"@x.example 2024-01-31T10:20:00Z',
    ]) {
      const box = (message('One', 'first') + message('Two', 'second')).replaceAll(FROM, from);
      assert.deepEqual(await texts(box), [`${head('One')}first`, `${head('Two')}second`], from);
      assert.deepEqual(await texts(box.replaceAll('\n', '\r\n')), [
        `${head('One')}first`,
        `${head('Two')}second`,
      ]);
      assert.equal((await texts(box.replaceAll('\n\nFrom ', '\nFrom '))).length, 2);
    }
  });

  test('can begin with blank lines or a byte order mark', async () => {
    for (const before of ['\n\r\n', '\ufeff'])
      assert.equal((await texts(before + message('One', 'x'))).length, 1);
  });

  test('keeps lines that begin with From, quoted or not', async () => {
    const body = 'first\n\nFrom here on it runs.\nFrom 10:20 on\n>From Anna\n>>From Bert\n> From Eve\nlast';
    const [one, two, ...more] = await texts(message('One', body) + message('Two', 'x'));
    assert.equal(
      one,
      `${head('One')}first\n\nFrom here on it runs.\nFrom 10:20 on\nFrom Anna\n>From Bert\n> From Eve\nlast`,
    );
    assert.deepEqual([two, more], [`${head('Two')}x`, []]);
  });

  test('can have messages in several character sets', async () => {
    const latin = Buffer.from(
      `${FROM}\nSubject: x\nContent-Type: text/plain; charset=iso-8859-1\n\nGr\u00f6\u00dfe\n`,
      'latin1',
    );
    const chinese = Buffer.concat([
      Buffer.from(`${FROM}\nSubject: y\nContent-Type: text/plain; charset=gb2312\n\n`),
      Uint8Array.of(0xcb, 0xae, 0xb1, 0xc3),
    ]);
    const found = await texts(Buffer.concat([latin, Buffer.from('\n'), chinese]));
    assert.deepEqual(
      found.map((text) => text.split('\n').at(-1)),
      ['Größe', '水泵'],
    );
  });

  test('with an encrypted or unreadable message gives the other messages', async () => {
    const found = await texts(
      message('Locked', '-----BEGIN PGP MESSAGE-----\nx') +
        `${FROM}\nNo-Header: of an e-mail\n\nlost\n\n` +
        `${FROM}\nSubject: Deep\nContent-Type: text/html\n\n${'<div>'.repeat(100_000)}\n\n` +
        message('Good', 'words'),
    );
    assert.equal(found.length, 4);
    assert.match(found[0] ?? '', /^# Locked\n[^]*encrypted/);
    assert.equal(found.at(-1), `${head('Good')}words`);
  });

  test('reports progress with each message', async () => {
    const told: number[] = [];
    await extractMbox(Buffer.from(message('One', 'x').repeat(4)), (share) => told.push(share));
    assert.equal(told.length, 4);
    assert.ok(told.every((share, index) => share > (told[index - 1] ?? 0) && share <= 1));
    assert.ok((told.at(-1) ?? 0) > 0.99);
  });

  test('with many messages is read completely', async () => {
    assert.equal((await texts(message('One', 'From x\nword\n'.repeat(5)).repeat(500))).length, 500);
  });
});

test('a file that does not begin like a mailbox is refused', async () => {
  for (const content of [
    '',
    'words',
    'From here on words',
    'From 10:20 on 2024 words',
    `Subject: x\n\n${message('One', 'x')}`,
    FROM,
    `${FROM}\n`,
    `${FROM}\nno header\n`,
    Uint8Array.of(0, 1, 2, 255),
  ]) {
    assert.equal((await faultOf(extractMbox, content)).code, 'invalid_mbox');
  }
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
      const found = await texts(
        all.map((body, index) => message(`M${index}`, quote(body.join('\n')))).join(''),
      );
      assert.deepEqual(
        found,
        all.map((body, index) => `${head(`M${index}`)}${body.join('\n').trim()}`.trim()),
      );
    }),
  );
});

test('a damaged mailbox is read, or refused with a reported fault', () =>
  assertDamageIsTold(extractMbox, message('One', '>From x') + message('Two', '水泵')));

test('the reading process reads mailboxes', async (t) => {
  const { parts } = await extractedInProcess(
    t,
    'application/mbox',
    message('One', 'x') + message('Two', 'y'),
  );
  assert.deepEqual(
    parts.map((part) => part.text),
    [`${head('One')}x`, `${head('Two')}y`],
  );
});
