/** The address of the service, with the prefix that a proxy has added: this file is two folders below it. */
export const ROOT = new URL('../../', import.meta.url);

/**
 * An answer of the service. `answer` is the parsed body, null without one; `answeredAt` is its time by the clock of the
 * service, in milliseconds, and NaN if the answer does not state it. The status is 0 if there was no complete answer.
 * @typedef {{ status: number, answer: any, retryAfter: number, answeredAt: number }} Reply
 */

/** @type {Readonly<Reply>} */
const NO_ANSWER = { status: 0, answer: null, retryAfter: 0, answeredAt: NaN };

/**
 * Sends a request to the service.
 * @param {string} method
 * @param {string} path below the root of the service, without a slash at its start
 * @param {object} [options]
 * @param {string} [options.token] the token of the session
 * @param {string} [options.team] the id of the Team
 * @param {object} [options.body] is sent as JSON
 * @param {string} [options.idempotencyKey] the same in every try of a request, which then takes effect only once
 * @param {AbortSignal} [options.signal] cancels the request, which then counts as unanswered
 * @returns {Promise<Reply>}
 */
export async function askService(method, path, { token, team, body, idempotencyKey, signal } = {}) {
  try {
    const response = await fetch(new URL(path, ROOT), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(team ? { 'memory-team': team } : {}),
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      },
      credentials: 'omit',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const { status, ok } = response;
    const retryAfter = Number(response.headers.get('retry-after') ?? 0);
    // A proxy can send an error in another format. A successful answer that cannot be parsed counts as a failure.
    const answer = status === 204 ? null : await response.json().catch(() => undefined);
    if (ok && answer === undefined) return NO_ANSWER;
    const answeredAt = Date.parse(response.headers.get('date') ?? '');
    return { status, answer: answer ?? null, retryAfter, answeredAt };
  } catch {
    return NO_ANSWER;
  }
}

/**
 * Describes a failure that the user did not cause and cannot correct, except by trying again.
 * @param {{ status: number, retryAfter: number }} reply
 */
export function describeFailure({ status, retryAfter }) {
  if (status === 0) return 'The service did not answer. Check your connection and try again.';
  if (status === 429) return `That was tried too often. Try again in ${describeSeconds(retryAfter)}.`;
  if (status === 503) return 'The service is busy. Wait a moment and try again.';
  return 'The service failed. Try again later.';
}

/** @param {number} seconds */
function describeSeconds(seconds) {
  if (!(seconds > 1)) return 'a moment';
  return seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
