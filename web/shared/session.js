import { askService, describeFailure } from './ask-service.js';

/** The key in this tab's storage for the token of its session. All pages use it. */
const KEY = 'session-token';
/** A page that is being signed out is not shown for longer than this while the service does not answer. */
const END_WITHIN_MS = 10_000;

/** @param {string} token */
export function storeSession(token) {
  storeValue(KEY, token);
}

/**
 * Whether this tab still uses the session with this token.
 * @param {string} token
 */
export const isSession = (token) => readValue(KEY) === token;

/**
 * Deletes the token, unless another session has begun in this tab since then.
 * @param {string} token
 */
export function forgetSession(token) {
  if (readValue(KEY) === token) removeValue(KEY);
}

/**
 * Reads the session of this tab. If it has ended, deletes its token.
 * @returns {Promise<{ session: import('../../shared/schemas/accounts.ts').Session | null, problem?: string }>} the
 *   session, or null, and the problem if the session could not be read
 */
export async function findSession() {
  const token = readValue(KEY);
  if (token === null) return { session: null };
  const reply = await askService('GET', 'v1/auth/session', { token });
  if (reply.status === 200) return { session: { token, ...reply.answer } };
  if (reply.status !== 401) return { session: null, problem: describeFailure(reply) };
  forgetSession(token);
  return { session: null };
}

/**
 * Ends a session and deletes its token. If the service fails, the token is kept for another attempt, because the
 * session cannot be ended without it.
 * @param {string} token
 * @returns {Promise<string | null>} the reason why the session was not ended, or null
 */
export async function endSession(token) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), END_WITHIN_MS);
  const { signal } = controller;
  const reply = await askService('POST', 'v1/auth/logout', { token, body: {}, signal });
  clearTimeout(timer);
  // 401: the session had already ended.
  if (reply.status !== 204 && reply.status !== 401) return describeFailure(reply);
  forgetSession(token);
  return null;
}

// Storage for this tab only, which is deleted with the tab. The browser can refuse storage. The pages then still work,
// but a reload loses the data.

/**
 * @template T
 * @param {(storage: Storage) => T} use
 */
function withStorage(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function storeValue(key, value) {
  withStorage((storage) => storage.setItem(key, value));
}

/**
 * The value stored under the key, or null.
 * @param {string} key
 */
export function readValue(key) {
  return withStorage((storage) => storage.getItem(key));
}

/** @param {string} key */
export function removeValue(key) {
  withStorage((storage) => storage.removeItem(key));
}
