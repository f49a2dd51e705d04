import { useEffect, useState } from 'react';

/*
 * The token of a one-time link is in the fragment of the address, which no server receives. It is removed from the address
 * at once, and kept in this tab until it is used, so that a reload works.
 */

const keyOf = (page: string) => `${page}-token`;

function readToken(page: string): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  if (given !== null && given !== '') sessionStorage.setItem(keyOf(page), given);
  return sessionStorage.getItem(keyOf(page));
}

export const forgetToken = (page: string) => sessionStorage.removeItem(keyOf(page));

/** The token of the link of a page, or null. Another link opened in this tab changes only the fragment. */
export function useLinkToken(page: string): string | null {
  const [token, setToken] = useState(() => readToken(page));
  useEffect(() => {
    const read = () => setToken(readToken(page));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, [page]);
  return token;
}
