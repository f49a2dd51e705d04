import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../formats/names.ts';
import {
  Body,
  CreatedWith,
  ExpiresAt,
  Flag,
  Id,
  LayerKind,
  MAX_NAME,
  Metadata,
  Name,
  NOT_BLANK,
  Nullable,
  OccurredAt,
  OccurredFilters,
  OneOf,
  PageQuery,
  Problem,
  QueryInteger,
  Redactions,
  SortedQuery,
  SourceKind,
  StoredExpiry,
  StoredOccurrence,
  Text,
  TextFilter,
  Time,
  Use,
  WriteScope,
} from './common.ts';
import { Vector } from './embeddings.ts';
import { TextEncoding } from './text-encoding.ts';
import { UnreadPieces } from './unread.ts';

/*
 * The place of a passage in its document, as far as the file format gives it. All that a further field needs is here: the
 * reader that finds it gives it with its part, and it is stored, moved and answered with the others.
 */

/** A place as answers show it. */
export const Place = Type.Object({
  headings: Type.Array(Type.String(), { description: 'headings above the passage, outermost first' }),
  page: Nullable(Type.Integer({ description: 'page number, from 1' })),
  sheet: Nullable(Type.String({ description: 'name of the sheet of a spreadsheet' })),
  row: Nullable(Type.Integer({ description: 'first row of the sheet in the passage, from 1' })),
  slide: Nullable(Type.Integer({ description: 'slide number, from 1' })),
  hidden: Nullable(Type.Literal(true), 'true: the sheet or slide is hidden in its program'),
  part: Nullable(
    Type.String({
      description:
        'name of the attachment of a mail; of one within an attached mail, `forwarded.eml / budget.pdf`',
    }),
  ),
});
export type Place = Static<typeof Place>;

/** The place of a passage of which nothing is known. */
export const NO_PLACE: Place = {
  headings: [],
  page: null,
  sheet: null,
  row: null,
  slide: null,
  hidden: null,
  part: null,
};

/** A place as it is stored, in `place` of `memory.chunk`: only the fields that have a value. */
export type StoredPlace = { [Field in keyof Place]?: NonNullable<Place[Field]> };

/** Fields that are a text. */
type TextField = { [Field in keyof Place]: string extends Place[Field] ? Field : never }[keyof Place];

/** The texts of a place are copied from the document, so they are checked for credentials. Headings are with its text. */
export const PLACE_TEXTS = (Object.keys(Place.properties) as (keyof Place)[]).filter(
  (name): name is TextField => Value.Check(Place.properties[name], ''),
);

/**
 * The fields of a place that are known, and have a value of their type. A place comes from the process that read the file,
 * which the file can have taken over.
 */
export function storedPlace(given: StoredPlace): StoredPlace {
  const fields = Object.entries(Place.properties).filter(([name, schema]) => {
    const value = given[name as keyof Place];
    return value != null && Value.Check(schema, value);
  });
  return Object.fromEntries(fields.map(([name]) => [name, given[name as keyof Place]]));
}

const Tag = Text(MAX_TAG_LENGTH);

/** The tags that a request gives to a record. */
export const Tags = Type.Array(Tag, { maxItems: MAX_TAGS, description: 'case is ignored' });

/** The tags of a record. */
export const StoredTags = Type.Array(Type.String(), { description: 'in lower case' });

/** The tags that a hit must have, all of them. */
export const RequiredTags = Type.Array(Tag, {
  minItems: 1,
  maxItems: MAX_TAGS,
  description: 'return only hits of sources that have all of these tags; case is ignored',
});

/** One tag, as a filter of a list. */
const TagFilter = Type.Optional(Text(MAX_TAG_LENGTH, 'return only what has this tag; case is ignored'));

/** A tag, and how many active sources have it. */
export const TagCount = Type.Object({ tag: Type.String(), count: Type.Integer() });
export type TagCount = Static<typeof TagCount>;

export const TagQuery = Type.Object(
  {
    ...PageQuery,
    clientId: Type.Optional(Type.String({ description: 'count only the sources of this client' })),
  },
  { additionalProperties: false },
);

export const MAX_CHUNK = 8000;

/** The title of the document, and the place of the chunk in it. */
const Location = Type.Object({
  document_title: Nullable(Type.String({ description: 'title from the metadata of the document' })),
  ...Place.properties,
});

export const chunkFields = {
  chunk_id: Id,
  source_id: Id,
  title: Type.String(),
  uri: Nullable(Type.String()),
  text: Type.String(),
  ordinal: Type.Integer({ description: 'position within the source, from 0' }),
  layer: LayerKind,
  client_id: Nullable(Id),
  kind: SourceKind,
  tags: StoredTags,
  created_at: Time,
  occurred_at: StoredOccurrence,
  location: Location,
};

export const Chunk = Type.Object(chunkFields);

/** What the service knows of a chunk besides. The schemas do not have it, so no answer does. */
export interface Unsent {
  /** How many characters at the beginning of its text repeat the heading row of a table. */
  repeated?: number;
}

export type Chunk = Static<typeof Chunk> & Unsent;

export const MAX_URI = 2048;

export const IngestRequest = Body({
  title: Name,
  text: Type.Optional(Type.String({ minLength: 1, ...NOT_BLANK })),
  chunks: Type.Optional(
    Type.Array(Body({ text: Text(MAX_CHUNK), embedding: Type.Optional(Vector) }), {
      minItems: 1,
      maxItems: 2000,
    }),
  ),
  embeddingModel: Type.Optional(Type.String({ maxLength: 300 })),
  embeddingDim: Type.Optional(Type.Integer()),
  scope: Type.Optional(WriteScope),
  uri: Type.Optional(Text(MAX_URI)),
  externalId: Type.Optional(
    Text(
      MAX_NAME,
      'identifies one source of the layer: a different text replaces its passages, the same text updates its fields; ' +
        'an omitted uri, metadata, tags, occurredAt or expiresAt keeps its value',
    ),
  ),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
  occurredAt: Type.Optional(OccurredAt),
  expiresAt: Type.Optional(ExpiresAt),
});

export type IngestRequest = Static<typeof IngestRequest>;

/** The file that a source was made of. */
export const Original = Type.Object({
  mediaType: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String({ description: 'in hexadecimal' }),
});

export type Original = Static<typeof Original>;

export const Source = Type.Object({
  id: Id,
  kind: SourceKind,
  title: Type.String(),
  uri: Nullable(Type.String()),
  externalId: Nullable(Type.String()),
  layer: LayerKind,
  clientId: Nullable(Id),
  state: OneOf(['active', 'archived']),
  tags: StoredTags,
  chunks: Type.Integer(),
  sameAs: Nullable(
    Id,
    'the first source of the layer with the same text, if this is an imported file and not the first',
  ),
  memoryId: Type.Optional(
    Type.String({
      description: 'the published memory whose text it is. Only in the list and the answer of one source',
    }),
  ),
  occurredAt: StoredOccurrence,
  expiresAt: StoredExpiry,
  original: Nullable(
    Original,
    'the file of the import that the source was made of, if it was kept; null while the source is archived',
  ),
  unread: {
    ...UnreadPieces,
    description: 'what could not be read of the file that its text was made of; empty for other sources',
  },
  encoding: {
    ...TextEncoding,
    description:
      'encoding in which the file was read that its text was made of; null for UTF-8, for formats that say it themselves, ' +
      'and for other sources',
  },
  ...Use,
  createdBy: Id,
  createdWith: CreatedWith,
  createdAt: Time,
  updatedAt: Time,
});

export type Source = Static<typeof Source>;

/** A source whose text is nearly the same as that of another source of its scope. */
export const SimilarSource = Type.Object({
  sourceId: Id,
  title: Type.String(),
  similarity: Type.Number({
    description: 'estimated share of pairs of neighbouring words that both texts have: from 0.75 to 1',
  }),
});

export type SimilarSource = Static<typeof SimilarSource>;

export const SimilarSources = Type.Array(SimilarSource, {
  description:
    'up to five active sources of the same scope with nearly the same text, the most similar first; the text is stored ' +
    'all the same. Empty for a text of fewer than ten words',
});

export const IngestResponse = Type.Object({
  source: Source,
  chunks: Type.Integer(),
  embedded: Type.Integer(),
  duplicate: Type.Boolean({ description: 'the text was already stored, and nothing changed' }),
  updated: Type.Optional(
    Type.Array(OneOf(['title', 'uri', 'metadata', 'tags', 'occurredAt', 'expiresAt']), {
      description: 'fields that changed in the source with this externalId; present if the text was the same',
    }),
  ),
  similarSources: SimilarSources,
  redactions: Type.Optional(Redactions),
});

export type IngestResponse = Static<typeof IngestResponse>;

const clientId = Type.Optional(Type.String());

export const SourceQuery = Type.Object(
  {
    ...SortedQuery,
    kind: Type.Optional(SourceKind),
    state: Type.Optional(OneOf(['active', 'archived'])),
    clientId,
    tag: TagFilter,
    q: TextFilter,
    ...OccurredFilters,
  },
  { additionalProperties: false },
);

/** The answer to a change of a source. */
export const ChangedSource = Type.Object({
  ...Source.properties,
  redactions: Type.Optional(Redactions),
});

/** A change of a source. */
export const SourceChange = Body({
  text: Type.Optional({
    ...IngestRequest.properties.text,
    description:
      'a new text, for a source that was ingested as one text: it is kept as a version before. At most 8 MiB with its body',
  }),
  baseUpdatedAt: Type.Optional({
    ...Time,
    description:
      'required with text: `updatedAt` of the source when its text was read; 409 `version_conflict` if it changed since',
  }),
  title: Type.Optional(Name),
  tags: Type.Optional(Tags),
  occurredAt: Type.Optional(OccurredAt),
  expiresAt: Type.Optional(ExpiresAt),
  clientId: Type.Optional(
    Nullable(Type.String(), 'the client to move the source to, or null: the Team layer'),
  ),
});
export type SourceChange = Static<typeof SourceChange>;

/** The most sources that one request changes, each by itself. */
export const MAX_CHANGED_AT_ONCE = 500;

/** A change that many sources can have in common. */
export const SourceBatchChange = Body(
  {
    tags: Type.Optional(
      Body(
        { add: Type.Optional(Tags), remove: Type.Optional(Tags) },
        'a tag is in one of the lists, not in both',
      ),
    ),
    clientId: Type.Optional(
      Nullable(Type.String(), 'the client to move the sources to, or null: the Team layer'),
    ),
    expiresAt: Type.Optional(ExpiresAt),
    state: Type.Optional(OneOf(['archived', 'active'], 'archive the sources, or restore them')),
  },
  'At least one change. A source is restored first, and archived last',
);
export type SourceBatchChange = Static<typeof SourceBatchChange>;

export const SourceBatch = Body({
  ids: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_CHANGED_AT_ONCE,
    description: 'each source once; twice is 400',
  }),
  change: SourceBatchChange,
  ifUpdatedAt: Type.Optional(
    Type.Record(Type.String(), Time, {
      description:
        '`updatedAt` of sources, by their ids. A source that has another one now is not changed: `version_conflict`. Others ' +
        'are changed without the check',
    }),
  ),
});
export type SourceBatch = Static<typeof SourceBatch>;

export const SourceBatchResponse = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'as it was sent' }),
      changed: Type.Optional(Type.Boolean({ description: 'false: the source was already so' })),
      problem: Type.Optional(Problem),
    }),
    {
      description:
        'one for each id, in the same order: with `changed`, or with the `problem` for which nothing changed',
    },
  ),
  undo: Type.Array(SourceBatch, {
    description:
      'bodies of this route that take the changes back, to be sent in this order. A source that changed since is left. A tag ' +
      'that was removed comes back after the others. Without sources that were archived and cannot be restored',
  }),
  redactions: Type.Optional(Redactions),
});

/** The most sources that one request archives. */
export const MAX_ARCHIVED_AT_ONCE = 1000;

/** Which sources to archive. It never includes the sources of memories and of workspace files. */
export const ArchiveFilter = Body(
  {
    kind: Type.Optional(SourceKind),
    clientId: Type.Optional(Type.String({ description: 'only sources of this client' })),
    tag: TagFilter,
    q: Type.Optional(Text(300, 'text that the title, the uri or the externalId contains; case is ignored')),
    createdBefore: Type.Optional(Time),
  },
  'At least one field. Sources of memories and of workspace files are skipped',
);
export type ArchiveFilter = Static<typeof ArchiveFilter>;

export const ArchiveRequest = Body({
  filter: ArchiveFilter,
  dryRun: Type.Boolean({ description: 'only count the sources, and archive none' }),
});
export const ArchiveResponse = Type.Object({
  count: Type.Integer({
    description: 'how many sources were archived, at most 1,000; of a dry run, how many there are',
  }),
});

/** Chunks of a source in one page: as many as one ingest can store. */
export const CHUNKS_PER_PAGE = 2000;

export const ChunksQuery = Type.Object(
  {
    cursor: PageQuery.cursor,
    limit: Type.Optional(
      QueryInteger(
        { minimum: 1, maximum: CHUNKS_PER_PAGE },
        `of passages: 1–${CHUNKS_PER_PAGE}, default ${CHUNKS_PER_PAGE}`,
      ),
    ),
  },
  { additionalProperties: false },
);

export const SourceTextQuery = Type.Object(
  {
    ...ChunksQuery.properties,
    text: Flag('`true` adds `text`, as it was sent'),
    version: Type.Optional(
      QueryInteger(
        { minimum: 1 },
        'with text: a version that the list of versions shows, in place of the present text',
      ),
    ),
  },
  { additionalProperties: false },
);

/** A text that a source had before. */
export const SourceVersion = Type.Object({
  version: Type.Integer({ description: 'number of the text, from 1' }),
  at: { ...Time, description: 'when this text was stored' },
  actorId: { ...Id, description: 'who stored it' },
  characters: Type.Integer({ description: 'of the text, in Unicode code points' }),
});
export type SourceVersion = Static<typeof SourceVersion>;

/** One source with its text. `chunks` is the list of its chunks, not their number as in `Source`. */
export const SourceText = Type.Object({
  ...Source.properties,
  metadata: Metadata,
  text: Type.Optional(
    Nullable(
      Type.String(),
      'only with `text`: as it was sent, or as masking of credentials left it; null for a source that was not sent as one text, ' +
        'that is archived, or whose text is longer than 8 MiB',
    ),
  ),
  exact: Type.Optional(
    Type.Boolean({
      description:
        'only with `text`: false if the text is joined from passages, because it was stored by an earlier version, or null',
    }),
  ),
  chunks: Type.Array(Chunk, { description: 'in order, at most 2,000; `nextCursor` leads to the rest' }),
  nextCursor: Nullable(Type.String()),
});
