import { setTimeout as pause } from 'node:timers/promises';
import { describeSeconds } from '../terminal/duration.ts';
import { type ServiceClient, ServiceRefusal, TemporaryFailure } from './service-client.ts';

/** Attempts for one request. With the pauses below, they cover an outage of a minute and a half. */
const MAX_TRIES = 9;
const FIRST_PAUSE_SECONDS = 0.5;
const MAX_PAUSE_SECONDS = 30;
/** The longest pause, even if the service asks for a longer one: a person is waiting at the terminal. */
const MAX_REQUESTED_SECONDS = 300;

/** The seconds to wait before the next attempt, or null if another attempt would not help. */
function pauseAfter(error: unknown, tries: number): number | null {
  const seconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (tries - 1), MAX_PAUSE_SECONDS);
  if (error instanceof TemporaryFailure) return Math.min(error.retryAfter ?? seconds, MAX_REQUESTED_SECONDS);
  // The same request is still running. Its answer is valid for this one too.
  const isInProgress = error instanceof ServiceRefusal && error.code === 'idempotency_in_progress';
  return isInProgress ? seconds : null;
}

/**
 * Retries requests that fail for a temporary reason. The delay is the one that the service asks for, otherwise it
 * doubles with each attempt. Only for requests that can be repeated safely. If the service has never answered, nothing
 * is retried, because its address can be wrong.
 * @param onWait receives the reason for each wait, and null when the wait is over
 * @param hasAnswered whether the service has answered an earlier request
 */
export function withRetry(
  service: ServiceClient,
  onWait: (text: string | null) => void,
  hasAnswered = false,
): ServiceClient {
  let answered = hasAnswered;
  const withAttempts = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await ask();
        answered = true;
        if (tries > 1) onWait(null);
        return answer;
      } catch (error) {
        const seconds = pauseAfter(error, tries);
        answered ||= !(error instanceof TemporaryFailure) || error.retryAfter !== null;
        if (seconds === null || !answered || tries === MAX_TRIES) throw error;
        const again = `again in ${describeSeconds(seconds)} (${tries} of ${MAX_TRIES - 1})`;
        onWait(
          error instanceof TemporaryFailure
            ? `${error.what}, ${again}`
            : `the same request is still running, ${again}`,
        );
        await pause(seconds * 1000);
      }
    }
  };
  return {
    get: (path, answer, options) => withAttempts(() => service.get(path, answer, options)),
    post: (path, answer, body, options) => withAttempts(() => service.post(path, answer, body, options)),
    patch: (path, answer, body, options) => withAttempts(() => service.patch(path, answer, body, options)),
    // Not repeated: a part of it can have been written already.
    download: (path, write) => service.download(path, write),
    delete: (path) => withAttempts(() => service.delete(path)),
  };
}
