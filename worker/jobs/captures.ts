import { call } from '../../db/queries/call.ts';
import { sliceJob } from '../slices.ts';

/** Captures staged again by one statement. */
const MAX_CAPTURES_PER_SLICE = 500;

/** Stages captures again whose lease has expired. Claims do not depend on this: they also claim expired captures. */
export const releaseLapsedCaptures = sliceJob('captures.release', (tx) =>
  call(tx, 'memory.release_captures', MAX_CAPTURES_PER_SLICE),
);
