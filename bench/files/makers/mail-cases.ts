import { Draw } from '../../documents/draw.ts';
import type { Language } from '../../documents/languages.ts';
import type { Expected, ExpectedTable } from '../judge.ts';

/** A file that is attached to a mail. */
export interface Attached {
  name: string;
  type: string;
  /** In base64. */
  content: string;
  disposition?: 'inline';
  /** Of a part of a calendar, which is no attachment. */
  method?: string;
}

/** A mail, and what it must be read as. */
export interface Mail {
  headers: Readonly<Record<string, string>>;
  text?: string;
  html?: string;
  charset?: string;
  encoding?: string;
  files?: readonly Attached[];
  /** The bytes of the mail in base64, instead of all the above. */
  raw?: string;
  expected: Expected;
}

export const HEADERS = {
  From: 'Ann Miller <ann@example.org>',
  To: 'Bob Bauer <bob@example.org>',
  Date: 'Fri, 03 May 2024 09:00:00 +0200',
};
/** Words of the headers and of the names of attachments. */
export const HEADER_WORDS =
  'From To Cc Date Subject Attachment Ann Miller ann@example.org Bob Bauer bob@example.org 2024-05-03 07:00 UTC';

const base64 = (text: string) => Buffer.from(text).toString('base64');

export const calendar = (summary: string, place: string) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:4417@example.org\r\nDTSTAMP:20240503T080000Z\r\nDTSTART:20240510T080000Z\r\nDTEND:20240510T090000Z\r\nSUMMARY:${summary}\r\nLOCATION:${place}\r\nORGANIZER;CN=Ann Miller:mailto:ann@example.org\r\nDESCRIPTION:Bring the torque list\\, please.\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
/** Words that an event can be shown with. */
export const CALENDAR_WORDS =
  'Event Start Starts End Ends When Where Location Organizer Summary Description Begin Until to UTC 2024-05-10 08:00 09:00 2024-05-10T08:00:00Z 2024-05-10T09:00:00Z 20240510T080000Z 20240510T090000Z Ann Miller mailto:ann@example.org ann@example.org Status Attendee Attendees request meeting Invitation Title';

/** Draws the mails that Python writes. Office files come from outside. */
export function mailCases(
  files: readonly (Attached & { texts: readonly string[] })[],
): Readonly<Record<string, Mail>> {
  const d = new Draw('mail');
  const mail = (texts: readonly string[], more: Partial<Mail> = {}, also: Partial<Expected> = {}): Mail => {
    const subject = d.title();
    const names = more.files?.map(({ name }) => name) ?? [];
    const optional = [HEADER_WORDS, subject, ...names, ...(also.optional ?? [])];
    return {
      headers: { ...HEADERS, Subject: subject },
      text: `${texts.join('\r\n\r\n')}\r\n`,
      ...more,
      expected: { texts, title: subject, ...also, optional },
    };
  };
  const body = () => d.many(2, 4, () => d.text(2, 3));
  const html = (texts: readonly string[]) =>
    `<html><body>${texts.map((text) => `<p>${text}</p>`).join('\n')}</body></html>`;
  const attached = (name: string, type: string, content: string): Attached => ({
    name,
    type,
    content: base64(content),
  });
  const [pageText, altText, stubText, flowText, note, listed] = [
    body(),
    body(),
    body(),
    body(),
    d.text(2, 3),
    body(),
  ];
  const rows = d.many(3, 6, () => [d.code(), d.title(), d.amount()]);
  const table: ExpectedTable = { labels: ['Part', 'Name', 'Quantity'], rows };
  const csv = [table.labels, ...rows].map((row) => row.join(',')).join('\r\n');
  const quotes = [d.sentence(), d.sentence(), d.sentence()] as const;
  const long = d.text(4, 5);
  const inner = mail(body());
  const innerSubject = inner.headers['Subject'] ?? '';
  const innerSource = `From: bob@example.org\r\nTo: ann@example.org\r\nSubject: ${innerSubject}\r\nDate: Thu, 02 May 2024 09:00:00 +0200\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${inner.text}`;
  const languageOf = (language: Language, charset: string): Mail => {
    const other = new Draw(`mail-${language}`, language);
    const texts = [other.text(2, 3), other.text(2, 3)];
    const subject = other.words(3);
    return {
      headers: { ...HEADERS, Subject: subject },
      text: `${texts.join('\r\n\r\n')}\r\n`,
      charset,
      expected: { texts, title: subject, optional: [HEADER_WORDS, subject] },
    };
  };
  /** Text of one byte a letter whose mail does not say in which encoding. */
  const undeclared = (language: Language, encode: (text: string) => Buffer, header: string): Mail => {
    const other = new Draw(`undeclared-${language}`, language);
    const texts = [other.text(3, 4), other.text(3, 4)];
    const head = `From: ann@example.org\r\nTo: bob@example.org\r\nDate: ${HEADERS.Date}\r\nSubject: Minutes\r\nMIME-Version: 1.0\r\n${header}\r\n\r\n`;
    const raw = Buffer.concat([Buffer.from(head), encode(texts.join('\r\n\r\n'))]).toString('base64');
    return { headers: {}, raw, expected: { texts, title: 'Minutes', optional: [HEADER_WORDS, 'Minutes'] } };
  };
  const cyrillic = (text: string) =>
    Buffer.from(
      [...text].map((char) => {
        const code = char.codePointAt(0) ?? 0;
        return code === 0x451
          ? 0xb8
          : code === 0x401
            ? 0xa8
            : code >= 0x410 && code < 0x450
              ? code - 0x350
              : code;
      }),
    );
  const kinds = Object.fromEntries(
    files.map((file): [string, Mail] => [
      `attached-${file.name.split('.').at(-1)}`,
      mail(['See the file.', ...file.texts], { text: 'See the file.\r\n', files: [file] }),
    ]),
  );
  return {
    plain: mail(body()),
    html: { ...mail(pageText, { html: html(pageText) }), text: undefined } as unknown as Mail,
    alternative: mail(altText, { html: html(altText) }),
    stub: mail(
      stubText,
      {
        text: 'This message is in HTML. Please use a mail program that shows HTML.\r\n',
        html: html(stubText),
      },
      { optional: ['This message is in HTML Please use a mail program that shows'] },
    ),
    'empty-plain': mail(listed, { text: '\r\n', html: html(listed) }),
    preheader: {
      ...mail(pageText, {
        html: `<html><head><style>p { color: red }</style></head><body><div style="display:none;max-height:0">Invisible teaser words</div>${pageText.map((text) => `<p>${text}</p>`).join('')}<img src="https://example.org/open.gif" width=1 height=1 alt=""></body></html>`,
      }),
      text: undefined,
    } as unknown as Mail,
    quoted: mail([`Yes, approved. ${quotes[0]}`, 'On Thu, 2 May 2024, Bob wrote:', quotes[1], quotes[2]], {
      text: `Yes, approved. ${quotes[0]}\r\n\r\nOn Thu, 2 May 2024, Bob wrote:\r\n> ${quotes[1].replaceAll(/(.{24,40}) /g, '$1\r\n> ')}\r\n>> ${quotes[2].replaceAll(/(.{24,40}) /g, '$1\r\n>> ')}\r\n`,
    }),
    wrapped: mail([long], { text: `${long.replaceAll(/(.{50,70}) /g, '$1\r\n')}\r\n` }),
    flowed: mail(flowText, {
      text: `${flowText.map((text) => text.replaceAll(/(.{50,70}) /g, '$1 \r\n')).join('\r\n\r\n')}\r\n`,
    }),
    base64: mail(body(), { encoding: 'base64' }),
    text: mail(['See the file.', note], {
      text: 'See the file.\r\n',
      files: [attached('minutes.txt', 'text/plain', `${note}\n`)],
    }),
    markdown: mail(['See the file.', 'Minutes of May', note], {
      text: 'See the file.\r\n',
      files: [attached('minutes.md', 'text/markdown', `# Minutes of May\n\n${note}\n`)],
    }),
    csv: mail(
      ['See the file.'],
      { text: 'See the file.\r\n', files: [attached('parts.csv', 'text/csv', csv)] },
      { tables: [table] },
    ),
    'csv-octets': mail(
      ['See the file.'],
      { text: 'See the file.\r\n', files: [attached('parts.csv', 'application/octet-stream', csv)] },
      { tables: [table] },
    ),
    page: mail(['See the page.', note], {
      text: 'See the page.\r\n',
      files: [attached('page.html', 'text/html', html([note]))],
    }),
    calendar: mail(
      ['Please come.', 'Budget meeting', 'Room Blue', 'Bring the torque list, please.'],
      {
        text: 'Please come.\r\n',
        files: [
          {
            name: 'invite.ics',
            type: 'text/calendar',
            content: base64(calendar('Budget meeting', 'Room Blue')),
            method: 'REQUEST',
          },
        ],
      },
      { optional: [CALENDAR_WORDS] },
    ),
    'calendar-file': mail(
      ['Please come.', 'Budget meeting', 'Room Blue', 'Bring the torque list, please.'],
      {
        text: 'Please come.\r\n',
        files: [attached('invite.ics', 'text/calendar', calendar('Budget meeting', 'Room Blue'))],
      },
      { optional: [CALENDAR_WORDS] },
    ),
    forwarded: mail(
      ['See below.', ...inner.expected.texts, innerSubject],
      { text: 'See below.\r\n', files: [attached('forwarded.eml', 'message/rfc822', innerSource)] },
      { optional: ['2024-05-02', innerSubject] },
    ),
    picture: mail(['See the picture.'], {
      text: 'See the picture.\r\n',
      files: [attached('plan.png', 'image/png', 'no real picture')],
    }),
    two: mail(['See the files.', note, ...listed], {
      text: 'See the files.\r\n',
      files: [
        attached('one.txt', 'text/plain', note),
        attached('two.txt', 'text/plain', listed.join('\n\n')),
      ],
    }),
    ...kinds,
    russian: languageOf('ru', 'koi8-r'),
    japanese: languageOf('ja', 'iso-2022-jp'),
    chinese: languageOf('zh', 'gb2312'),
    korean: languageOf('ko', 'euc-kr'),
    german: languageOf('de', 'iso-8859-1'),
    hebrew: languageOf('he', 'utf-8'),
    'undeclared-latin': undeclared(
      'de',
      (text) => Buffer.from(text, 'latin1'),
      'Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit',
    ),
    'undeclared-cyrillic': undeclared(
      'ru',
      cyrillic,
      'Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit',
    ),
    'undeclared-utf-8': undeclared('pl', (text) => Buffer.from(text), 'Content-Transfer-Encoding: 8bit'),
    'wrong-ascii': undeclared(
      'de',
      (text) => Buffer.from(text, 'latin1'),
      'Content-Type: text/plain; charset=us-ascii\r\nContent-Transfer-Encoding: 8bit',
    ),
  };
}
