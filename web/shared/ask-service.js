const NO_ANSWER = { status: 0, answer: null, retryAfter: 0, answeredAt: NaN };

/**
 * Asks the service. The path is relative, so that it works behind a proxy that adds a prefix.
 * @param path without a slash at its start
 * @param options.token of the session to ask with
 * @param options.team id of the Team that it is about
 * @param options.body sent as JSON
 * @param options.signal breaks it off, as if no answer came
 * @returns what was answered, and when by the clock of the service, in milliseconds (NaN where it does not say);
 *   status 0 where no answer came, or half of one
 */
export async function askService(method, path, { token, team, body, signal } = {}) {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(team ? { 'memory-team': team } : {}),
      },
      credentials: 'omit',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const { status, ok } = response;
    const retryAfter = Number(response.headers.get('retry-after') ?? 0);
    // A proxy in between can refuse in a form of its own; a success that cannot be read counts as a failure.
    const answer = status === 204 ? null : await response.json().catch(() => undefined);
    if (ok && answer === undefined) return NO_ANSWER;
    const answeredAt = Date.parse(response.headers.get('date') ?? '');
    return { status, answer: answer ?? null, retryAfter, answeredAt };
  } catch {
    return NO_ANSWER;
  }
}

/** Why the service did not do it, where that is not for the person to mend: what to do is to send it again. */
export function describeFailure({ status, retryAfter }) {
  if (status === 0) return 'The service did not answer. Check your connection and try again.';
  if (status === 429) return `That was tried too often. Try again in ${describeSeconds(retryAfter)}.`;
  if (status === 503) return 'The service is busy. Wait a moment and try again.';
  return 'The service failed. Try again later.';
}

function describeSeconds(seconds) {
  if (!(seconds > 1)) return 'a moment';
  return seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
