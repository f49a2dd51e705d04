import { readValue, removeValue, storeValue } from '../shared/session.js';

// The token of a one-time link is in the fragment of the address. It is removed from the address bar at once, and
// stored in this tab until it is used, so that a reload works.

export const INCOMPLETE = [
  'The link is incomplete',
  'Open the whole link that you were given, up to its last character.',
];

const keyOf = (page) => `${page}-token`;

/** The token of the page's link: from the address, otherwise from this tab's storage; null if neither has one. */
export function readLinkToken(page) {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  if (given) storeValue(keyOf(page), given);
  return given || readValue(keyOf(page));
}

export function forgetLinkToken(page) {
  removeValue(keyOf(page));
}

/**
 * The titles and texts, by error code, for links that can never be used again.
 * @param used a sentence about what the link did
 * @param ask whom to ask for another link, as the end of a sentence
 */
export function deadLinks({ used, ask }) {
  return new Map([
    ['token_used', ['This link has already been used', `${used} If you need another, ${ask}.`]],
    ['token_expired', ['This link has expired', `To go on, ${ask}.`]],
    [
      'token_revoked',
      ['This link has been revoked', `A newer link may have replaced it. If you have none, ${ask}.`],
    ],
    ['not_found', ['This link is not valid', `Check that you opened all of it. If you did, ${ask}.`]],
  ]);
}
