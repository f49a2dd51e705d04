import { type Static, Type } from 'typebox';
import { Id, QueryInteger } from './common.ts';

/** The most days of one answer: as many as are kept. */
export const MAX_ACTIVITY_DAYS = 366;
export const DEFAULT_ACTIVITY_DAYS = 30;

export const ActivityQuery = Type.Object(
  {
    days: Type.Optional(
      QueryInteger(
        { minimum: 1, maximum: MAX_ACTIVITY_DAYS },
        `1–${MAX_ACTIVITY_DAYS}, default ${DEFAULT_ACTIVITY_DAYS}`,
      ),
    ),
  },
  { additionalProperties: false },
);

const count = (description: string) => Type.Integer({ description });

/** How a Team was used. */
export const TeamActivity = Type.Object({
  days: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', description: 'in UTC' }),
      searches: count('searches that were answered'),
      searchesWithoutHit: count('of them, those without a hit'),
      opened: count(
        'how often a text was read: by expand, by the id of its source, its file, or the tool fetch',
      ),
      ingested: count('texts that were stored, or replaced one'),
      imported: count('imports that were completed'),
      captured: count('captures that were staged'),
      published: count('memories that were published'),
      feedback: count('feedback that was given'),
    }),
    { description: 'the oldest day first; today is the last' },
  ),
  tokens: Type.Array(
    Type.Object({
      tokenId: Id,
      name: Type.String(),
      searches: count('searches that were answered'),
      writes: count('audit events of other kinds'),
      charactersReturned: count(
        'characters of the texts that searches, expand and reads of sources returned to it',
      ),
    }),
    {
      description: 'agent tokens that were used in these days, those with the most searches and writes first',
    },
  ),
});
export type TeamActivity = Static<typeof TeamActivity>;
