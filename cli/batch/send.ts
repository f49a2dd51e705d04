import type { Static } from 'typebox';
import { type SourceBatch, SourceBatchResponse } from '../../shared/schemas/sources.ts';
import { type ServiceClient, TemporaryFailure, withRetry } from '../client/service-client.ts';
import { CommandError, withNote } from '../terminal/command-error.ts';
import { countedOf } from '../terminal/output.ts';
import { openProgressBar, undoable } from '../terminal/progress-bar.ts';
import type { GrowingLevel } from './undo-log.ts';

/**
 * The most sources of one request. The API permits more; with fewer, the progress is visible, and an interruption waits only
 * for these.
 */
export const SOURCES_PER_REQUEST = 100;
/** Sources of many passages take long to move. */
const TIMEOUT_MS = 600_000;

type Answer = Static<typeof SourceBatchResponse>;
export type BatchResult = Answer['results'][number];

/** The answers to all requests of a command, as one. */
export interface BatchAnswer extends Answer {
  undo: SourceBatch[];
}

/**
 * Retries only what the service has refused for now. If an answer was lost, the same request would answer that nothing
 * changed, without a way back.
 */
function retryRefused(service: ServiceClient, onWait: (text: string | null) => void): ServiceClient {
  const post: ServiceClient['post'] = (...request) =>
    service.post(...request).catch((error: unknown) => {
      const isLost = error instanceof TemporaryFailure && error.retryAfter === null;
      throw isLost ? new CommandError(error.message) : error;
    });
  return withRetry({ ...service, post }, onWait);
}

/** What is sent, and how it is shown. */
export interface Sending {
  bodies: readonly SourceBatch[];
  /** Of the progress, such as `tagging`. */
  label: string;
  isJson: boolean;
  /** Where the way back is stored after each request. */
  back: GrowingLevel;
  /** Whether sources that are not as a body expects are changed too, in a second request. */
  insists: boolean;
  /** Runs after each request, when its way back is stored. */
  onSent?: (answer: BatchAnswer) => Promise<void>;
  /** What takes back what was sent before an error. */
  hint: string;
}

/**
 * Sends requests that change many sources, one after the other. Ctrl-C ends it after the request that runs.
 * @throws CommandError, Interrupted with what was sent before
 */
export function sendBatches(
  service: ServiceClient,
  { bodies, label, isJson, back, insists, onSent, hint }: Sending,
): Promise<BatchAnswer> {
  const progress = openProgressBar(isJson ? process.stderr : process.stdout);
  const sender = retryRefused(service, (text) => progress.note(text));
  const total = bodies.reduce((sum, { ids }) => sum + ids.length, 0);
  const all: BatchAnswer = { results: [], undo: [] };
  const show = () => {
    const sent = all.results.length;
    if (bodies.length > 1)
      progress.show({ label, share: sent / total, text: countedOf(sent, total, 'source') });
  };
  const send = async (body: SourceBatch): Promise<BatchAnswer> => {
    const options = { timeoutMs: TIMEOUT_MS };
    const answer = await sender.post('/v1/memory/sources/batch', SourceBatchResponse, body, options);
    await back.add(answer.undo, body);
    if (!insists) return answer;
    const ids = answer.results.filter(isConflict).map(({ id }) => id);
    return ids.length === 0 ? answer : merge(answer, await send({ ids, change: body.change }));
  };
  return undoable(async (throwIfInterrupted) => {
    try {
      for (const body of bodies) {
        await throwIfInterrupted();
        show();
        const answer = await send(body);
        await onSent?.(answer);
        all.results.push(...answer.results);
        all.undo.push(...answer.undo);
        if (answer.redactions !== undefined) all.redactions ??= answer.redactions;
      }
      show();
      return all;
    } catch (error) {
      const sent = `${countedOf(all.results.length, total, 'source was', 'sources were')} sent before this`;
      throw back.isEmpty ? error : withNote(error, `${sent}: ${hint}`);
    } finally {
      progress.end();
    }
  });
}

const isConflict = ({ problem }: BatchResult) => problem?.code === 'version_conflict';

/** An answer with the results of a second request, for the sources that had a conflict in the first one. */
function merge(first: BatchAnswer, second: BatchAnswer): BatchAnswer {
  const later = new Map(second.results.map((result) => [result.id, result]));
  return {
    ...first,
    results: first.results.map((result) => later.get(result.id) ?? result),
    undo: [...first.undo, ...second.undo],
  };
}
