import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { ERRORS } from '../errors.ts';
import { VISIBLE_CHARACTER } from '../formats/names.ts';

/** A time in a request or an answer: ISO 8601 in UTC, with milliseconds and `Z`. */
export const Time = Type.String({ format: 'date-time' });
export const Id = Type.String({ description: 'UUIDv7; opaque' });

/** A type, or JSON null. */
export function Nullable<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** How often a source, or that of a memory, was found and opened. */
export const Use = {
  found: Type.Integer({ description: 'searches that returned it' }),
  opened: Type.Integer({
    description: 'how often its text was read by expand, by its id, or with the tool fetch',
  }),
  lastFoundAt: Nullable(Time),
};

const Day = Type.String({ format: 'date' });

/** A day or a time of a request: `parseMoment` of `formats/times.ts` parses it. */
export const Moment = (description: string) => Type.Union([Day, Time], { description });

/** When a record is to expire. */
export const ExpiresAt = Type.Union([Day, Time, Type.Null()], {
  description:
    'when the record expires: from then on it counts as archived. A time in the future, a day (its last moment in UTC), ' +
    'or null: never',
});
/** When what a text tells of happened, as a request says it. */
export function occurrence(description: string) {
  return Type.Union([Day, Time, Type.Null()], { description });
}
export const OccurredAt = occurrence('when it happened: a time, or a day such as 2026-03-01; null: unknown');
/** The same in an answer. */
export const StoredOccurrence = Nullable(
  Moment('a day in UTC, or a time'),
  'when it happened, as far as it is known; null: unknown',
);
/** Filters of a search by the time when a passage was stored. */
export const CreatedFilters = {
  createdAfter: Type.Optional({ ...Time, description: 'return only hits whose created_at is later' }),
  createdBefore: Type.Optional({ ...Time, description: 'return only hits whose created_at is earlier' }),
};
/** Filters of sources by their date. */
export const OccurredFilters = {
  occurredAfter: Type.Optional(
    Moment(
      'return only what happened then or later; a day counts from its first moment in UTC. Where it is unknown when it ' +
        'happened, the time when the source was created is compared',
    ),
  ),
  occurredBefore: Type.Optional(
    Moment('return only what happened then or earlier; a day counts to its last moment in UTC'),
  ),
};
/** When a record expires. */
export const StoredExpiry = Nullable(Time, 'from then on it counts as archived; null: never');

/** A request body. A field that is not listed is refused; it is never ignored. */
export function Body<T extends TProperties>(properties: T, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) });
}

/** For text that is not blank. U+0085 (next line) is white space too, which `\S` alone would accept. */
export const NOT_BLANK = { pattern: '[^\\s\\u0085]' };

/** Text that is not blank. Its length is counted in characters (code points), not in UTF-16 code units. */
export function Text(maxLength: number, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    ...NOT_BLANK,
    ...(description ? { description } : {}),
  });
}

/** The longest name, title, filename or id that a caller chooses, in characters. */
export const MAX_NAME = 300;
/** The longest reason of a request for access, in characters. */
export const MAX_REASON = 1000;

/** Titles, filenames, ids that a caller chooses, and the like. */
export const Name = Text(MAX_NAME);
/** Names of Companies, Teams, clients, people and tokens, by which people tell them apart. */
export const VisibleName = Type.String({ ...Name, pattern: VISIBLE_CHARACTER.source });

/** One of several strings. The JSON schema has an `enum`, which is shorter than a union of constants. */
export function OneOf<const T extends string[]>(values: [...T], description?: string) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: values, ...(description ? { description } : {}) });
}

/** The agent token with which a record was made. */
export const CreatedWith = Nullable(
  Type.Object({ tokenId: Id, name: Type.String({ description: 'name of the token' }) }),
  'the agent token that made it for `createdBy`; null for a person',
);
export type CreatedWith = Static<typeof CreatedWith>;

export const Metadata = Type.Record(Type.String(), Type.Unknown(), { description: 'at most 16 KiB as JSON' });

/** Up to this many rows of a list are counted. */
export const MAX_TOTAL = 10_000;

/** How many rows a whole list has, if its request asks for it. */
export const Total = {
  total: Type.Optional(
    Nullable(
      Type.Integer(),
      `only with count: how many rows the whole list has; null: more than ${MAX_TOTAL}`,
    ),
  ),
  totalAtLeast: Type.Optional(Type.Integer({ description: 'only with count, if total is null' })),
};

/** One page of a list, newest first. */
export function Page<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), nextCursor: Nullable(Type.String()), ...Total });
}

/** A query parameter that is on or off. It arrives as text. */
export function Flag(description: string) {
  return Type.Optional(OneOf(['true', 'false'], description));
}

/**
 * A whole number as a query parameter. It arrives as text, which the route must parse. The OpenAPI document shows the number.
 */
export function QueryInteger(limits: { minimum: number; maximum?: number }, description: string) {
  const contentSchema = { type: 'integer', ...limits };
  return Type.String({ contentMediaType: 'application/json', contentSchema, description });
}

/** The text by which a list is filtered. Forms send it blank: then it filters nothing. */
export const TextFilter = Type.Optional(
  Type.String({ maxLength: 300, description: 'text that the record contains; case is ignored' }),
);

/** The default number of rows of a page, and the maximum. */
export const PAGE_LIMITS = { default: 50, max: 200 };

/** Query parameters of every list. They arrive as text; `answerPage` parses them. */
export const PageQuery = {
  limit: Type.Optional(
    QueryInteger(
      { minimum: 1, maximum: PAGE_LIMITS.max },
      `1–${PAGE_LIMITS.max}, default ${PAGE_LIMITS.default}`,
    ),
  ),
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page' })),
  count: Flag('`true` adds `total`: how many rows the whole list has'),
};

/** Query parameters of a list that can be sorted: `parseSortedPage` parses them. */
export const SortedQuery = {
  ...PageQuery,
  sort: Type.Optional(
    OneOf(
      ['createdAt', 'updatedAt', 'title', 'found'],
      'the order: when it was created (default) or last changed, its title (without case, by code point), or how often searches returned ' +
        'it. By updatedAt and found, records that change while you page can come twice or not at all',
    ),
  ),
  order: Type.Optional(OneOf(['asc', 'desc'], 'by default titles ascend, the others descend')),
};

export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: OneOf(Object.keys(ERRORS)),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  },
  { additionalProperties: true, description: 'application/problem+json (RFC 9457)' },
);

/** A credential in a text of a request. It never contains the value. */
export const Redaction = Type.Object({
  rule: Type.String({ description: 'name of the rule that found it' }),
  path: Type.String({
    description:
      'JSON pointer of the field; in a base64 field, offsets are those of the decoded text. `/text` is the text of an imported file',
  }),
  start: Type.Integer({ description: 'of its first character, in Unicode code points' }),
  end: Type.Integer({ description: 'after its last character' }),
  preview: Type.String({ description: 'the prefix of its kind, at most four characters, and `…`' }),
});
export type Redaction = Static<typeof Redaction>;
export const Redactions = Type.Array(Redaction, {
  description:
    'credentials that were found in the request, at most 1,000. In the mode `redact`, `[redacted: rule]` is stored in place of each',
});

/** The kind of a source: a text that was sent, an imported file, a memory, or a workspace file. */
export const SOURCE_KINDS = ['ingest', 'import', 'memory', 'file'] as const;
export const SourceKind = OneOf([...SOURCE_KINDS]);

export const Role = OneOf(['owner', 'admin', 'member']);

export const State = OneOf(['active', 'archived']);

export const Email = Text(300, 'trimmed; case is ignored');

export const Verified = Type.Boolean({
  description: 'whether the person has used a link that was mailed to the address',
});

/** Also for the password of an account that may already exist: no stored password is shorter. */
export const NewPassword = Type.String({ minLength: 12, maxLength: 256 });

/** A password to check. It has no lower bound: the answer to a short wrong password must not differ from the others. */
export const Password = Type.String({ minLength: 1, maxLength: 256 });

export const LinkToken = Type.String({ minLength: 1, maxLength: 300 });

export const NameRequest = Body({ name: VisibleName });

export const LayerKind = OneOf(['team', 'client']);

export type LayerKind = Static<typeof LayerKind>;

export const RequestedScope = Body(
  {
    clientId: Type.Optional(Type.String()),
    include: Type.Optional(Type.Array(LayerKind, { minItems: 1, maxItems: 2, uniqueItems: true })),
  },
  'The layers to read. By default the Team layer, and with a clientId also the layer of that client; ' +
    '`include` chooses others. Without a scope, a search reads as with `{}`, and expand reads every layer that the caller ' +
    'can reach',
);

/** The layer to write to. A write has exactly one layer, so this has no `include`. */
export const WriteScope = Body(
  { clientId: Type.Optional(Type.String()) },
  'The layer to write to: that of the client, or the Team layer if there is no clientId. `include` is not allowed. Without ' +
    'a scope, the Team layer; for an item of a batch, the layer of its captures',
);
