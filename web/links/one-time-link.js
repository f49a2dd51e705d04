import { forget, keep, kept } from '../shared/tab-storage.js';

// The token of a one-time link comes in the fragment, leaves the address bar at once, and stays in this tab
// until it is used, so that a reload works.

export const INCOMPLETE = [
  'The link is incomplete',
  'Open the whole link that you were given, up to its last character.',
];

const keyOf = (page) => `${page}-token`;

/** The token of the page's link: the one just opened, or the one that this tab keeps; null without one. */
export function readLinkToken(page) {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  if (given) keep(keyOf(page), given);
  return given || kept(keyOf(page));
}

export function forgetLinkToken(page) {
  forget(keyOf(page));
}

/**
 * What makes a link worthless for good, as title and text by error code: nothing on the page can help then.
 * @param used what the link did, once
 * @param ask whom to ask for another, as the end of a sentence
 */
export function deadLinks({ used, ask }) {
  return new Map([
    ['token_used', ['This link was used already', `${used} If you need another, ${ask}.`]],
    ['token_expired', ['This link has expired', `To go on, ${ask}.`]],
    [
      'token_revoked',
      ['This link was withdrawn', `A newer link may have replaced it. If you have none, ${ask}.`],
    ],
    ['not_found', ['This link is not valid', `Check that you opened all of it. If you did, ${ask}.`]],
  ]);
}
