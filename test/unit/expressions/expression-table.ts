import type { WorstCase } from './worst-cases.ts';

/** What must be said of an expression of product code besides its form. */
export interface SpecialExpression {
  /** A part of the expression, or of the call that makes it, which no other one of the file has. */
  with: string;
  /** Expressions that the call makes, if only the running code knows them. */
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

const repeated = (before: string, repeated: string, after: string): WorstCase => ({
  before,
  repeated,
  after,
});
const BY_RULES = [/\$\{|%[A-Z_]{1,64}%/gi, /xapp-[a-z0-9]{1,40}/y];
const BEHIND_A_NAME = {
  atMost: 65_536,
  because: 'it is run after a name only, and the mark after the next name ends it',
};

/** By file. All other expressions are run as they are, on texts of 1 MiB that are made from their form. */
export const SPECIAL_EXPRESSIONS: Readonly<Record<string, readonly SpecialExpression[]>> = {
  'cli/hooks/recall.ts': [
    { with: '(NAME', examples: [new RegExp(MARKER, 'giu')] },
    { with: '<${BLANKS}${NAME}', examples: [new RegExp(`<${BLANKS}${MARKER}${TAG_END}`, 'giu')] },
    { with: '<${BLANKS}/', examples: [new RegExp(`<${BLANKS}/${BLANKS}${MARKER}${TAG_END}`, 'giu')] },
  ],
  'api/http/errors.ts': [
    {
      with: 'escaped',
      examples: [/^\/v1\/company\/teams\/[^/]+\/grants\/[^/]+$/, /^\/docs\/static\/.*$/],
      known: [repeated('/v1/company/teams/', 'a', '/')],
    },
  ],
  'db/startup/folder-lock.ts': [
    { with: ' pid ', atMost: 300, because: 'the lock file is written by the service itself' },
  ],
  'shared/formats/addresses.ts': [{ with: String.raw`(?<!\/)`, known: [repeated('', '/', '\0/')] }],
  'shared/secrets/pieces.ts': [{ with: 'expression.flags', examples: BY_RULES }],
  'shared/secrets/values.ts': [
    { with: '`])(?<value>', ...BEHIND_A_NAME },
    { with: String.raw`\\(?<mark>`, ...BEHIND_A_NAME },
  ],
  'shared/secrets/rules.ts': [
    {
      with: '/ey[',
      atMost: 65_536,
      because: 'it is tried only within a window of the search, and where a token can begin',
    },
    { with: 'expression.flags', examples: BY_RULES },
  ],
  'shared/lifecycle.ts': [{ with: String.raw`\s*\n\s*`, known: [repeated('', '\t', '\0\n')] }],
  'shared/text/terms/fold.ts': [{ with: 'LETTERS.keys()', examples: [/[ßłøæœ]/g] }],
  'worker/extract/html/prepare.ts': [
    { with: '(?<=[\\p{Script=Han}', known: [repeated('漢', '\n', 'x'), repeated('', '漢\t\n', 'x')] },
  ],
  'worker/extract/html.ts': [
    { with: '/<([A-Za-z]', known: [repeated('<a', '-', `'/>"/>`)] },
    { with: 'xmlns', atMost: 2_000, because: 'only the start of the file is searched' },
  ],
  'worker/extract/mail/mbox.ts': [
    { with: String.raw`\b\d{4}\b.*`, atMost: 80, because: 'only the end of the line is searched' },
  ],
  'worker/extract/pdf/paragraphs.ts': [{ with: '[-‐]$', known: [repeated('', 'A', '\0a-')] }],
  'web/src/pages/workspace/shape.ts': [
    { with: '(?<stem>', atMost: 300, because: 'a segment of a path has at most 255 bytes' },
  ],
};
