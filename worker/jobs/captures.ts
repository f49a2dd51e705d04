import { asWorker } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import type { JobHandler } from '../context.ts';
import { inSlices } from '../slices.ts';

/** Captures staged again by one statement. */
const MAX_CAPTURES_PER_SLICE = 500;

/** Stages captures again whose lease has expired. Claims do not depend on this: they also claim expired captures. */
export const releaseLapsedCaptures: JobHandler<'captures.release'> = async (job, { database, queue }) => {
  await inSlices(database, (tx) => call(tx, 'memory.release_captures', MAX_CAPTURES_PER_SLICE));
  await asWorker(database, (tx) => queue.complete(tx, 'captures.release', job));
};
