import { type Static, Type } from 'typebox';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../formats/tags.ts';
import { PageQuery, Text } from './common.ts';

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
export const TagFilter = Type.Optional(
  Text(MAX_TAG_LENGTH, 'return only what has this tag; case is ignored'),
);

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
