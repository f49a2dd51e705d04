import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Unread } from '../../../../shared/schemas/unread.ts';
import { writePdf } from '../../../support/pdf-writer.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { extracted, type File, fixture } from '../extraction.ts';
import { extractEmail, extractMbox } from './extractors.ts';
import { file, HEAD, mixed, multipart, part } from './mails.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const XLSX = `${OFFICE}.spreadsheetml.sheet`;

/** The parts of a mail, without the mail itself. */
async function attachmentsOf(content: File) {
  const { parts } = await extracted(extractEmail, content);
  return parts.slice(1);
}

async function unreadOf(content: File): Promise<readonly Unread[] | undefined> {
  return (await extracted(extractEmail, content)).unread;
}

const notRead = (...names: string[]) =>
  names.map((name): Unread => ({ kind: 'attachment', names: [name], reason: 'not_read' }));

const message = (subject: string, body: string) =>
  part('Content-Type: message/rfc822', `From: eve@z.example\r\nSubject: ${subject}\r\n${body}`);

describe('an attachment of an e-mail', () => {
  test('is read as its type or its name says, and is the place of its parts', async () => {
    const text = readFileSync(new URL('fixtures/text-attachments.eml', import.meta.url));
    assert.deepEqual(await attachmentsOf(text), [
      { text: 'The pump budget is 4200 euros.\n', place: { part: 'minutes.txt' } },
      { text: 'item: pump\ncost: 4200', place: { part: 'costs.csv' } },
    ]);
    const pdf = writePdf({ pages: [[{ y: 700, bytes: 'First' }], [{ y: 700, bytes: 'Second' }]] });
    for (const type of ['application/pdf', 'application/octet-stream', 'application/x-download']) {
      assert.deepEqual(await attachmentsOf(mixed(file('plan.pdf', type, pdf))), [
        { text: 'First', place: { page: 1, part: 'plan.pdf' } },
        { text: 'Second', place: { page: 2, part: 'plan.pdf' } },
      ]);
    }
    for (const [name, type] of [
      ['data.json', 'text/plain'],
      ['data.json', 'application/json; charset=us-ascii'],
      ['data', 'application/json'],
    ] as const) {
      assert.deepEqual(
        await attachmentsOf(mixed(file(name, type, '{"flow":7}'))),
        [{ text: 'flow: 7', place: { part: name } }],
        type,
      );
    }
  });

  test('has its sheets and rows', async () => {
    const [first] = await attachmentsOf(mixed(file('parts.xlsx', XLSX, fixture('libreoffice.xlsx'))));
    assert.deepEqual(first?.place, { sheet: 'Prices', row: 1, part: 'parts.xlsx' });
  });

  test('is listed in the text of the mail, and in unread if it is not read', async () => {
    const zip = writeZip([{ name: 'a.txt', content: 'x' }]);
    const mail = mixed(
      part(
        `Content-Type: text/plain\r\nContent-Disposition: attachment; filename*=utf-8''%E6%B3%B5.txt`,
        'words',
      ),
      file('all.zip', 'application/zip', zip),
      file('winmail.dat', 'application/ms-tnef', 'x'),
      part('Content-Type: image/png', 'x'),
    );
    const { parts, unread } = await extracted(extractEmail, mail);
    assert.match(
      parts[0]?.text ?? '',
      /below\.\n\nAttachment: 泵\.txt\nAttachment: all\.zip\nAttachment: winmail\.dat\nAttachment: image\/png$/,
    );
    assert.deepEqual(parts.slice(1), [{ text: 'words\n', place: { part: '泵.txt' } }]);
    assert.deepEqual(unread, notRead('all.zip', 'winmail.dat', 'image/png'));
  });

  test('that cannot be read is in unread with the reason, and the others are read', async () => {
    const mail = mixed(
      file('broken.docx', `${OFFICE}.wordprocessingml.document`, 'no document'),
      file('shut.ods', 'application/vnd.oasis.opendocument.spreadsheet', fixture('encrypted.ods')),
      file('scan.pdf', 'application/pdf', writePdf({ pages: [[], [{ y: 700, bytes: 'Text' }], []] })),
      file('blank.txt', 'text/plain', ' \n'),
      file('bare.json', 'application/json', '{'),
      file('good.txt', 'text/plain', 'good'),
    );
    assert.deepEqual(await unreadOf(mail), [
      { kind: 'attachment', names: ['broken.docx'], reason: 'damaged' },
      { kind: 'attachment', names: ['shut.ods'], reason: 'locked' },
      { kind: 'attachment', names: ['scan.pdf, pages 1, 3'], reason: 'no_text' },
      { kind: 'attachment', names: ['blank.txt'], reason: 'no_text' },
      { kind: 'attachment', names: ['bare.json'], reason: 'damaged' },
    ]);
    const texts = (await attachmentsOf(mail)).map(({ text }) => text);
    assert.deepEqual(texts, ['Text', 'good']);
  });

  test('of text is read in its declared character set', async () => {
    for (const [charset, hex] of [
      ['iso-8859-1', '4772f6df65'],
      ['utf-8', Buffer.from('Größe').toString('hex')],
    ] as const) {
      const html = Buffer.concat([Buffer.from('<p>'), Buffer.from(hex, 'hex')]);
      for (const [name, type, content] of [
        ['a.txt', 'text/plain', Buffer.from(hex, 'hex')],
        ['a.html', 'text/html', html],
      ] as const) {
        const mail = mixed(file(name, `${type}; charset=${charset}`, content));
        assert.deepEqual(await attachmentsOf(mail), [{ text: 'Größe', place: { part: name } }]);
      }
    }
  });

  test('that the HTML shows is not one, and neither is a signature', async () => {
    const picture = part('Content-Type: image/png; name=a.png\r\nContent-ID: <a@x>', 'x');
    const html = part('Content-Type: text/html', '<p>Hello <img src="cid:b@x">');
    const related = multipart('related', [html, picture], 'r');
    const beside = part('Content-Type: image/png; name=b.png\r\nContent-ID: <b@x>', 'x');
    const other = part('Content-Type: image/png; name=c.png\r\nContent-ID: <c@x>', 'x');
    const signature = part('Content-Type: application/pgp-signature; name=signature.asc', 'x');
    assert.deepEqual(await unreadOf(mixed(related, beside, other, signature)), notRead('c.png'));
  });

  test('can be shown below the text, as mail programs of Unix and Apple do', async () => {
    const inline = 'Content-Disposition: inline; filename=a.patch\r\nContent-Type: text/x-diff';
    assert.deepEqual(await attachmentsOf(mixed(part(inline, '+one'))), [
      { text: '+one', place: { part: 'a.patch' }, isCode: true },
    ]);
    const named = `${HEAD}Content-Type: text/plain; name=message.txt\r\n\r\nthe text`;
    assert.match((await extracted(extractEmail, named)).parts[0]?.text ?? '', /the text$/);
  });

  test('can be a mail with attachments of its own', async () => {
    const inner = `From: eve@z.example\r\nSubject: Offer\r\n${multipart('mixed', [part('', 'the offer'), file('b.txt', 'text/plain', 'in b'), file('c.zip', 'application/zip', 'x')], 'i')}`;
    const mail = mixed(
      part(
        'Content-Type: message/rfc822; name=a.eml\r\nContent-Disposition: attachment; filename=a.eml',
        inner,
      ),
      message('Second', '\r\nmore'),
      file('third.eml', 'application/octet-stream', 'From: x@z.example\r\nSubject: T\r\n\r\nlast'),
    );
    const { parts, unread } = await extracted(extractEmail, mail);
    assert.deepEqual(parts.slice(1), [
      {
        text: '## Offer\n\nFrom: eve@z.example\nSubject: Offer\n\nthe offer\n\nAttachment: b.txt\nAttachment: c.zip',
        place: { part: 'a.eml' },
      },
      { text: 'in b', place: { part: 'a.eml / b.txt' } },
      { text: '## Second\n\nFrom: eve@z.example\nSubject: Second\n\nmore', place: { part: 'Second' } },
      { text: '## T\n\nFrom: x@z.example\nSubject: T\n\nlast', place: { part: 'third.eml' } },
    ]);
    assert.deepEqual(unread, notRead('a.eml / c.zip'));
  });

  test('can be a mail that is encrypted or damaged', async () => {
    const mail = mixed(
      message('Shut', '\r\n-----BEGIN PGP MESSAGE-----\r\nhQEMA'),
      part('Content-Type: message/rfc822; name=x.eml', 'no head'),
    );
    assert.deepEqual(await unreadOf(mail), [
      { kind: 'attachment', names: ['Shut'], reason: 'locked' },
      { kind: 'attachment', names: ['x.eml'], reason: 'damaged' },
    ]);
  });

  test('can be a mailbox', async () => {
    const from = 'From a@x.example Wed Jan 31 10:20:00 2024\n';
    const box = `${from}Subject: One\n\nfirst\n\n${from}Subject: Two\n${multipart('mixed', [file('a.txt', 'text/plain', 'in a')])}`;
    assert.deepEqual(await attachmentsOf(mixed(file('box.mbox', 'application/mbox', box))), [
      { text: '## One\n\nSubject: One\n\nfirst', place: { part: 'box.mbox' } },
      { text: '## Two\n\nSubject: Two\n\nAttachment: a.txt', place: { part: 'box.mbox' } },
      { text: 'in a', place: { part: 'box.mbox / a.txt' } },
    ]);
    assert.deepEqual((await extracted(extractMbox, box)).parts.at(-1), {
      text: 'in a',
      place: { part: 'a.txt' },
    });
  });

  test('has a name without folders and of a limited length', async () => {
    const [hidden, long] = await attachmentsOf(
      mixed(
        file('C:\\\\docs\\\\a.txt', 'text/plain', 'x'),
        file(`${'n'.repeat(5000)}.txt`, 'text/plain', 'y'),
      ),
    );
    assert.deepEqual(hidden?.place, { part: 'a.txt' });
    assert.equal(long?.place?.part?.length, 255);
  });
});

describe('a calendar in an e-mail', () => {
  const ICS = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Budget\r\nEND:VEVENT\r\nEND:VCALENDAR';

  test('is text of the mail if it is a form of it', async () => {
    const text = part('Content-Type: text/plain', 'Please come.');
    const event = part('Content-Type: text/calendar; method=REQUEST', ICS);
    const { parts, unread } = await extracted(extractEmail, HEAD + multipart('alternative', [text, event]));
    assert.match(parts[0]?.text ?? '', /Please come\.\n\nEvent: Budget$/);
    assert.equal(unread, undefined);
  });
});

describe('a mail with very many attachments', () => {
  test('is read, and says which attachments were not', async () => {
    const mail = mixed(
      ...Array.from({ length: 10_000 }, (_, index) => file(`${index}.txt`, 'text/plain', 'x')),
    );
    const { parts, unread = [] } = await extracted(extractEmail, mail);
    assert.equal(parts.length, 1001);
    assert.equal(unread.length, 9000);
    assert.deepEqual(unread.slice(0, 1), notRead('1000.txt'));
  });

  test('limits what archives unpack to in all', async () => {
    const big = writeZip([{ name: 'content.xml', content: Buffer.alloc(31 * 1024 * 1024, ' ') }]);
    const odt = (name: string) => file(name, 'application/vnd.oasis.opendocument.text', big);
    const names = Array.from({ length: 12 }, (_, index) => `${index}.odt`);
    const unread = (await unreadOf(mixed(...names.map(odt)))) ?? [];
    assert.deepEqual(
      unread.map(({ reason }) => reason),
      [...Array(8).fill('damaged'), ...Array(4).fill('not_read')],
    );
  });

  test('reads messages in it only down to a maximum depth, in mailboxes too', async () => {
    const from = 'From a@x.example Wed Jan 31 10:20:00 2024\n';
    let box = `${from}Subject: innermost\n\nend\n`;
    for (let level = 0; level < 12; level += 1) {
      const body = multipart('mixed', [file('in.mbox', 'application/mbox', box)], `b${level}`);
      box = `${from}Subject: level ${level}\n${body}`;
    }
    const { parts, unread } = await extracted(extractMbox, box);
    assert.equal(parts.length, 6);
    assert.deepEqual(unread, notRead(Array(6).fill('in.mbox').join(' / ')));
  });
});
