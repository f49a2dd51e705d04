import type { WorstCase } from './worst-cases.ts';

/** What must be said of an expression of product code besides its form. */
export interface SpecialExpression {
  /** The call that makes it if only the running code knows it. */
  expression: RegExp | string;
  /** Expressions that the call makes. */
  examples?: readonly RegExp[];
  /** Texts that are known to be bad for it, or for an earlier form of it. */
  known?: readonly WorstCase[];
  /** The longest text that it ever runs on, in UTF-16 code units, and the reason. */
  atMost?: number;
  because?: string;
}

/** The expressions for the marker of recalled text, with unseen characters between two letters. */
const UNSEEN = String.raw`\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}`;
const BLANKS = String.raw`[\s${UNSEEN}]*`;
const MARKER = [...'team-memory-recall'].join(`[${UNSEEN}]*`);
const TAG_END = String.raw`(?:[\s/${UNSEEN}][^<>]*)?>`;
const MARKER_ALONE = new RegExp(MARKER, 'giu');
const MARKER_OPENING = new RegExp(`<${BLANKS}${MARKER}${TAG_END}`, 'giu');
const MARKER_CLOSING = new RegExp(`<${BLANKS}/${BLANKS}${MARKER}${TAG_END}`, 'giu');

/** By file. All other expressions are run as they are, on texts of 1 MiB that are made from their form. */
export const SPECIAL_EXPRESSIONS: Readonly<Record<string, readonly SpecialExpression[]>> = {
  'cli/hooks/recall.ts': [
    { expression: "new RegExp(NAME, 'giu')", examples: [MARKER_ALONE] },
    { expression: "new RegExp(`<${BLANKS}${NAME}${TAG_END}`, 'giu')", examples: [MARKER_OPENING] },
    { expression: "new RegExp(`<${BLANKS}/${BLANKS}${NAME}${TAG_END}`, 'giu')", examples: [MARKER_CLOSING] },
  ],
  'api/http/errors.ts': [
    {
      expression: "new RegExp(`^${escaped.replace(/\\*/g, '.*')}$`)",
      examples: [/^\/v1\/company\/teams\/[^/]+\/grants\/[^/]+$/, /^\/docs\/static\/.*$/],
      known: [{ before: '/v1/company/teams/', repeated: 'a', after: '/' }],
    },
  ],
  'db/startup/folder-lock.ts': [
    {
      expression: / pid (\d+) (.+)\n$/,
      atMost: 300,
      because: 'the lock file is written by the service itself',
    },
  ],
  'shared/formats/addresses.ts': [
    { expression: /(?<!\/)\/+$/, known: [{ before: '', repeated: '/', after: '\0/' }] },
  ],
  'shared/secrets/pieces.ts': [
    {
      expression: 'new RegExp(expression.source, `${expression.flags}g`)',
      examples: [/\$\{|%[A-Z_]{1,64}%/gi, /xapp-[a-z0-9]{1,40}/y],
    },
  ],
  'shared/secrets/values.ts': [
    {
      expression: /(?<mark>["'`])(?<value>(?:(?!\k<mark>)[^\\\r\n\0]|\\[^\r\n\0]){1,4096})\k<mark>/dy,
      atMost: 65_536,
      because: 'it is run after a name only, and the mark after the next name ends it',
    },
    {
      expression:
        /\\(?<mark>["'])(?<value>(?:(?!\k<mark>)[^\\\r\n\0]|\\\\(?:\\[^\r\n\0]|(?!\k<mark>)[^\\\r\n\0])){1,4096})\\{0,2}\k<mark>/dy,
      atMost: 65_536,
      because: 'it is run after a name only, and the mark after the next name ends it',
    },
  ],
  'shared/secrets/rules.ts': [
    {
      expression: /ey[A-Za-z0-9_-]{8,4000}\.e[yw][A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/y,
      atMost: 65_536,
      because: 'it is tried only within a window of the search, and where a token can begin',
    },
    {
      expression: "new RegExp(expression.source, `${expression.flags.replace('g', '')}y`)",
      examples: [/\$\{|%[A-Z_]{1,64}%/gi, /xapp-[a-z0-9]{1,40}/y],
    },
  ],
  'shared/lifecycle.ts': [
    { expression: /(?<!\s)\s*\n\s*/g, known: [{ before: '', repeated: '\t', after: '\0\n' }] },
  ],
  'shared/text/terms/fold.ts': [
    { expression: "new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g')", examples: [/[ßłøæœ]/g] },
  ],
  'worker/extract/office/docx.ts': [
    {
      expression: /(?<!\s)\s*<a href="#([^"]*)">↑<\/a>/g,
      known: [
        { before: '', repeated: '\t', after: '<a' },
        { before: '<a href="#', repeated: '↑</a>note-ref-', after: '↑</a>' },
      ],
    },
  ],
  'worker/extract/html.ts': [
    {
      expression:
        /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])[\t ]*\n\s*(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])/gu,
      known: [
        { before: '漢', repeated: '\n', after: 'x' },
        { before: '', repeated: '漢\t\n', after: 'x' },
      ],
    },
    {
      expression: /<([A-Za-z][\w:.-]*)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g,
      known: [{ before: '<a', repeated: '-', after: `'/>"/>` }],
    },
    {
      expression: /^\ufeff?\s*<\?xml\s|<html\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i,
      atMost: 2_000,
      because: 'only the start of the file is searched',
    },
  ],
  'worker/extract/mail.ts': [
    {
      expression: /\d{1,2}:\d{2}.*\b\d{4}\b|\b\d{4}\b.*\d{1,2}:\d{2}/,
      atMost: 80,
      because: 'only the end of the line is searched',
    },
  ],
  'worker/extract/pdf.ts': [
    {
      expression: /(?<![\p{L}\p{M}])([\p{L}\p{M}]*\p{Ll})[-‐]$/u,
      known: [{ before: '', repeated: 'A', after: '\0a-' }],
    },
  ],
  'web/console/pages/files/shape.js': [
    {
      expression:
        /^(?<stem>.*) \(conflict (?<author>.+) (?<day>\d{4}-\d\d-\d\d) (?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?: \d+)?\)(?<extension>\.[^.]*)?$/su,
      atMost: 300,
      because: 'a segment of a path has at most 255 bytes',
    },
  ],
  'web/console/pages/search/marks.js': [
    { expression: /\s\S*$/, atMost: 100, because: 'only the length of a word is searched' },
  ],
  'web/console/pages/sources/facts.js': [
    { expression: /filename="((?:[^"\\]|\\.)*)"/i, atMost: 2_000, because: 'the service makes the header' },
  ],
};
