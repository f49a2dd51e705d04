import { type TSchema, Type } from 'typebox';
import { OneOf } from './common.ts';

/** The most characters of the neighbours of one answer. */
export const MAX_NEIGHBOUR_CHARACTERS = 32_000;

/** Fields of a search that shape its answer. */
export const shapeFields = {
  neighbours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2,
      default: 0,
      description:
        'return up to this many passages before and after each hit, of the same source. No passage is returned twice: it ' +
        `belongs to the better hit. The best hits are filled first, up to ${MAX_NEIGHBOUR_CHARACTERS} characters in total`,
    }),
  ),
  group: Type.Optional(
    OneOf(
      ['source'],
      'source: return one hit for each source, with up to three of its passages, in `passages`',
    ),
  ),
  maxCharacters: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200_000,
      description:
        'in place of topK: return as many hits as fit, up to 50. All texts of the answer count: first hits, then ' +
        'passages, then neighbours. A first hit that is longer is returned alone',
    }),
  ),
};

/** Fields of a hit that depend on the shape of the answer. */
export const shapedHitFields = <T extends TSchema>(chunk: T) => ({
  duplicates: Type.Integer({
    description:
      'how many other passages that the search found have an equal text, without regard to case and white space; only ' +
      'the newest is returned',
  }),
  before: Type.Optional(
    Type.Array(chunk, { description: 'passages before the hit, in order; with neighbours' }),
  ),
  after: Type.Optional(
    Type.Array(chunk, { description: 'passages after the hit, in order; with neighbours' }),
  ),
  passages: Type.Optional(
    Type.Array(chunk, {
      description: 'the best passages of the source, best first, beginning with the hit itself; with group',
    }),
  ),
});
