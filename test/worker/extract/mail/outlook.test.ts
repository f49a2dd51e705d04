import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { unpackRtf } from '../../../../worker/extract/mail/compressed-rtf.ts';
import { assertDamageIsTold, extracted, faultOf, fixture, testFaults, textOf } from '../extraction.ts';
import { type Folder, writeCompoundFile } from './compound-writer.ts';
import { extractEmail, extractOutlookMessage } from './extractors.ts';
import { file, mixed } from './mails.ts';
import { type OutlookMessage, writeMessage } from './outlook-writer.ts';

const MESSAGE: OutlookMessage = {
  subject: 'The pump',
  sender: { name: 'Anna', address: 'anna@x.example' },
  sent: new Date('2024-01-31T10:20:30Z'),
  plain: 'It leaks.\r\n\r\nAnna',
  recipients: [
    { name: 'Bert', address: 'bert@y.example', type: 1 },
    { name: 'Cem', address: '/O=X/OU=Y/CN=CEM', type: 1 },
    { name: 'd@y.example', address: 'd@y.example', type: 2 },
    { name: 'Hidden', address: 'hidden@y.example', type: 3 },
  ],
};

const read = (message: OutlookMessage) => extracted(extractOutlookMessage, writeMessage(message));
const bodyOf = async (message: OutlookMessage) =>
  (await textOf(extractOutlookMessage, writeMessage(message))).replace(/^[^]*?Subject: .*\n\n/, '');

/** RTF as Outlook packs it, but without compression. */
function packRtf(text: string): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(text.length + 12, 0);
  header.writeUInt32LE(text.length, 4);
  header.write('MELA', 8, 'latin1');
  return Buffer.concat([header, Buffer.from(text, 'latin1')]);
}

describe('a message of Outlook', () => {
  test('has its subject, sender, receivers, date and text', async () => {
    assert.deepEqual(await read(MESSAGE), {
      title: 'The pump',
      date: '2024-01-31',
      parts: [
        {
          text: '# The pump\n\nFrom: Anna <anna@x.example>\nTo: Bert <bert@y.example>, Cem\nCc: d@y.example\nDate: 2024-01-31 10:20 UTC\nSubject: The pump\n\nIt leaks.\n\nAnna',
          place: null,
        },
      ],
    });
  });

  test('of another program is read', async () => {
    const content = readFileSync(new URL('fixtures/oxmsg.msg', import.meta.url));
    const { title, date, parts, unread } = await extracted(extractOutlookMessage, content);
    assert.deepEqual([title, date], ['Pump order', '2024-05-03']);
    assert.match(parts[0]?.text ?? '', /We order 12 pumps\.\nRegards Ann\n\nAttachment: costs\.csv/);
    assert.deepEqual(parts.slice(1), [
      { text: 'item: pump\ncost: 4200', place: { part: 'costs.csv' } },
      {
        text: 'Left one Right one\nLeft two Right two\nLeft three Right three',
        place: { page: 1, part: 'table.pdf' },
      },
    ]);
    assert.deepEqual(unread, [{ kind: 'attachment', names: ['x.zip'], reason: 'not_read' }]);
  });

  test('can have its text as HTML or as RTF only', async () => {
    assert.equal(
      await bodyOf({ subject: 'S', html: '<h2>Größe</h2><p>in <b>hall</b> 3' }),
      '## Größe\n\nin hall 3',
    );
    const rtf = packRtf(
      "{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 Gr\\'f6\\'dfe\\par}}",
    );
    assert.equal(await bodyOf({ subject: 'S', rtf }), 'Größe');
  });

  test('can be in the encoding of a code page', async () => {
    for (const [page, hex, text] of [
      [1252, '4772f6df65', 'Größe'],
      [932, '837c83938376', 'ポンプ'],
      [20866, 'cec1d3cfd3', 'насос'],
      [28592, 'b1e6ea', 'ąćę'],
    ] as const) {
      const bytes = Buffer.from(hex, 'hex');
      assert.match(await bodyOf({ inPage: { page, subject: bytes, plain: bytes } }), new RegExp(`^${text}$`));
    }
  });

  test('has its attachments and messages as parts of their own', async () => {
    const { parts, unread } = await read({
      ...MESSAGE,
      html: '<p>It leaks. Anna <img src="cid:a@x">',
      attachments: [
        { name: 'shown.png', type: 'image/png', content: 'x', contentId: 'a@x' },
        { name: 'other.png', type: 'image/png', content: 'x' },
        { name: 'parts.xlsx', content: fixture('libreoffice.xlsx') },
        { message: { subject: 'Inner', plain: 'inside', attachments: [{ name: 'b.txt', content: 'deep' }] } },
      ],
    });
    assert.equal(parts[1]?.place?.part, 'parts.xlsx');
    assert.deepEqual(parts.slice(-2), [
      { text: '## Inner\n\nSubject: Inner\n\ninside\n\nAttachment: b.txt', place: { part: 'Inner' } },
      { text: 'deep', place: { part: 'Inner / b.txt' } },
    ]);
    assert.deepEqual(unread, [{ kind: 'attachment', names: ['other.png'], reason: 'not_read' }]);
  });

  test('says when a meeting is', async () => {
    const period: [Date, Date] = [new Date('2024-05-10T08:00:00Z'), new Date('2024-05-10T09:30:00Z')];
    const meeting = { subject: 'S', plain: 'Come.', period, messageClass: 'IPM.Schedule.Meeting.Request' };
    assert.equal(await bodyOf(meeting), 'When: 2024-05-10 08:00 to 2024-05-10 09:30 UTC\n\nCome.');
  });

  test('is read as an attachment of an e-mail', async () => {
    const { parts } = await extracted(
      extractEmail,
      mixed(file('a.msg', 'application/vnd.ms-outlook', writeMessage({ subject: 'T', plain: 'words' }))),
    );
    assert.deepEqual(parts[1], { text: '## T\n\nSubject: T\n\nwords', place: { part: 'a.msg' } });
  });

  test('of a large size is read', async () => {
    const content = Buffer.from('words '.repeat(500_000));
    const { parts } = await read({ ...MESSAGE, attachments: [{ name: 'a.txt', content }] });
    assert.equal(parts[1]?.text.length, content.length);
  });
});

testFaults(extractOutlookMessage, {
  'a file that is not a message of Outlook is refused': [
    'corrupt',
    ['', 'Subject: x\r\n\r\ny', writeCompoundFile({ WordDocument: Buffer.from('x') })],
  ],
  'an encrypted message of Outlook is refused as locked': [
    'locked',
    [writeMessage({ ...MESSAGE, messageClass: 'IPM.Note.SMIME' })],
  ],
});

describe('a hostile message of Outlook', () => {
  const sound = writeMessage({ ...MESSAGE, attachments: [{ name: 'a.txt', content: 'x'.repeat(5000) }] });
  const directory = sound.readUInt32LE(48);
  const table = sound.readUInt32LE(76);
  const sectorAt = (sector: number) => (sector + 1) * 512;

  test('with any damage is read or refused', async () => {
    await assertDamageIsTold(extractOutlookMessage, sound);
  });

  test('whose sectors are a circle is refused', async () => {
    const bytes = Buffer.from(sound);
    bytes.writeUInt32LE(directory, sectorAt(table) + directory * 4);
    assert.equal((await faultOf(extractOutlookMessage, bytes)).code, 'corrupt');
  });

  test('whose lists of sectors are a circle is refused', async () => {
    const bytes = Buffer.from(sound);
    bytes.writeUInt32LE(directory, 68);
    bytes.writeUInt32LE(directory, sectorAt(directory) + 508);
    assert.equal((await faultOf(extractOutlookMessage, bytes)).code, 'corrupt');
  });

  test('whose folders are in each other is read once', async () => {
    const bytes = Buffer.from(sound);
    const entries = (table - directory) * 4;
    for (let index = 1; index < entries; index += 1) {
      const at = sectorAt(directory) + index * 128;
      if (bytes.readUInt8(at + 66) === 1) bytes.writeUInt32LE(1, at + 76);
    }
    const { parts } = await extracted(extractOutlookMessage, bytes);
    assert.equal(parts.length, 1);
  });

  test('with folders nested very deeply is read', async () => {
    const folder: Folder = {};
    let deepest = folder;
    for (let level = 0; level < 2000; level += 1) {
      const inner: Folder = {};
      deepest['__attach_version1.0_#00000000'] = inner;
      deepest = inner;
    }
    folder['__properties_version1.0'] = Buffer.alloc(32);
    folder['__substg1.0_1000001F'] = Buffer.from('words', 'utf16le');
    assert.match(await textOf(extractOutlookMessage, writeCompoundFile(folder)), /words/);
  });

  test('whose streams share their sectors is refused once they are longer than the file', async () => {
    const attachments = Array.from({ length: 40 }, () => ({ name: 'a.txt', content: 'x'.repeat(5000) }));
    const bytes = writeMessage({ ...MESSAGE, attachments });
    const start = bytes.readUInt32LE(48);
    for (let at = sectorAt(start); at + 128 <= bytes.length; at += 128) {
      const name = bytes.toString('utf16le', at, at + 40);
      if (name !== '__substg1.0_37010102') continue;
      bytes.writeUInt32LE(0, at + 116);
      bytes.writeUInt32LE(200_000, at + 120);
    }
    for (let index = 0; index < 395; index += 1)
      bytes.writeUInt32LE(index + 1, sectorAt(bytes.readUInt32LE(76)) + index * 4);
    assert.equal((await faultOf(extractOutlookMessage, bytes)).code, 'corrupt');
  });
});

describe('compressed RTF', () => {
  // The example of MS-OXRTFCP 4.1.1.
  const EXAMPLE =
    '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0';

  test('is unpacked', () => {
    const bytes = Buffer.from(EXAMPLE, 'hex');
    assert.equal(
      Buffer.from(unpackRtf(bytes) ?? []).toString('latin1'),
      '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
    );
  });

  test('is not longer than its bytes can make it', () => {
    const header = Buffer.alloc(16);
    header.writeUInt32LE(0xffffffff, 4);
    header.write('LZFu', 8, 'latin1');
    const tokens = Buffer.alloc(17_000, Buffer.from('ff' + '001f'.repeat(8), 'hex'));
    assert.ok((unpackRtf(Buffer.concat([header, tokens]))?.length ?? 0) <= 9 * 17_016);
    assert.equal(unpackRtf(Buffer.alloc(40)), null);
    assert.equal(unpackRtf(Buffer.alloc(3)), null);
  });
});
