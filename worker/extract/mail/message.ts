import { headingLine, joinBlocks, minuteOf, oneLine } from '../text.ts';

/** The headers of a message that are shown, as text. */
export interface MailHead {
  subject: string;
  from: string;
  to: string;
  cc: string;
  /** In any form that Date.parse reads; otherwise as it is written. */
  date: string;
}

/** The text of a message. */
export interface MailBody {
  markdown: string;
  /** The encoding of its text, if it was detected. */
  encoding: string | null;
}

/** A file in a message, or another message. */
export interface MailAttachment {
  /** Null if it has none. */
  name: string | null;
  /** In lower case. */
  type: string;
  /** The declared character set of a text. */
  charset?: string | undefined;
  content: Uint8Array;
  /** Reads it, if it is a message that has no bytes of its own. */
  openMessage?: () => MailMessage;
}

/** A message of any format. */
export interface MailMessage {
  head: MailHead;
  isEncrypted: boolean;
  /** @throws FileFault `too_deep` for its HTML; `corrupt` */
  readBody: () => MailBody | Promise<MailBody>;
  attachments: readonly MailAttachment[];
}

const SHOWN = /cid:([^"'\s>)]{1,200})/gi;

/** The identifiers of the attachments that HTML shows. */
export function shownIds(html: string): Set<string> {
  return new Set([...html.matchAll(SHOWN)].map(([, id = '']) => id));
}

function formatDate(date: string): string {
  const minute = minuteOf(Date.parse(date));
  return minute === null ? date : `${minute} UTC`;
}

/** The subject as a heading, followed by sender, recipients and date. */
export function headText({ subject, from, to, cc, date }: MailHead, level: number): string {
  const lines: [string, string][] = [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Date', formatDate(date)],
    ['Subject', subject],
  ];
  const known = lines.filter(([, value]) => oneLine(value) !== '');
  return joinBlocks([
    headingLine(subject, level),
    known.map(([name, value]) => `${name}: ${oneLine(value)}`).join('\n'),
  ]);
}
