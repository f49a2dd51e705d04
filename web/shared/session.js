import { askService, describeFailure } from './ask-service.js';
import { forget, keep, kept } from './tab-storage.js';

/** Where this tab keeps the token of its session: every page of the service looks here. */
const KEY = 'session-token';

export function keepSession(token) {
  keep(KEY, token);
}

/** Forgets the token, unless this tab has begun another session since then. */
function forgetSession(token) {
  if (kept(KEY) === token) forget(KEY);
}

/**
 * Asks who is signed in in this tab. A session that has ended is forgotten.
 * @returns the session, or null; and why it could not be told, where it could not
 */
export async function findSession() {
  const token = kept(KEY);
  if (token === null) return { session: null };
  const reply = await askService('GET', 'v1/auth/session', { token });
  if (reply.status === 200) return { session: { token, ...reply.answer } };
  if (reply.status !== 401) return { session: null, problem: describeFailure(reply) };
  forgetSession(token);
  return { session: null };
}

/**
 * Ends a session and forgets its token. While the service cannot do it the token stays, to be tried again:
 * without it no one here could end the session.
 * @returns why it goes on, or null
 */
export async function endSession(token) {
  const reply = await askService('POST', 'v1/auth/logout', { token, body: {} });
  // Ended elsewhere is ended too.
  if (reply.status !== 204 && reply.status !== 401) return describeFailure(reply);
  forgetSession(token);
  return null;
}
