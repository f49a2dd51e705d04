import { setTimeout as pause } from 'node:timers/promises';
import { describeSeconds } from '../terminal/duration.ts';
import { PassingFailure, type ServiceClient, ServiceRefusal } from './service-client.ts';

/** How often the same is asked: with the pauses below, a minute and a half of a service that is away. */
const TRIES = 9;
const FIRST_PAUSE_SECONDS = 0.5;
const LONGEST_PAUSE_SECONDS = 30;
/** However late the service says: someone sits before it. */
const LONGEST_ASKED_SECONDS = 300;

/** Seconds after which to ask again, or null where that would not help. */
function pauseAfter(error: unknown, tries: number): number | null {
  const seconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (tries - 1), LONGEST_PAUSE_SECONDS);
  if (error instanceof PassingFailure) return Math.min(error.retryAfter ?? seconds, LONGEST_ASKED_SECONDS);
  // The first of two equal requests goes on; its answer will do for both.
  const underWay = error instanceof ServiceRefusal && error.code === 'idempotency_in_progress';
  return underWay ? seconds : null;
}

/**
 * Retries requests that fail for a reason that can pass: after the time that the service asks for, else after a delay that
 * doubles. Only for requests that can be repeated. A service that has never answered is not retried, because its address
 * can be wrong.
 * @param tell receives what is waited for, and null when the wait is over
 */
export function withRetry(service: ServiceClient, tell: (text: string | null) => void): ServiceClient {
  let answered = false;
  const insist = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await ask();
        answered = true;
        if (tries > 1) tell(null);
        return answer;
      } catch (error) {
        const seconds = pauseAfter(error, tries);
        answered ||= !(error instanceof PassingFailure) || error.retryAfter !== null;
        if (seconds === null || !answered || tries === TRIES) throw error;
        const again = `again in ${describeSeconds(seconds)} (${tries} of ${TRIES - 1})`;
        tell(error instanceof PassingFailure ? `${error.what}, ${again}` : `the same is under way, ${again}`);
        await pause(seconds * 1000);
      }
    }
  };
  return {
    get: (path, answer, options) => insist(() => service.get(path, answer, options)),
    post: (path, answer, body, options) => insist(() => service.post(path, answer, body, options)),
  };
}
