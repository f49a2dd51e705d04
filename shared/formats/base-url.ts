/**
 * An address that paths are put behind, in its one form: origin and path, without a slash at the end. Null for what
 * is none: not absolute, not http or https, or with a query, a fragment or a user name, which would be in the way
 * of paths or show a secret in messages.
 */
export function canonicalBaseUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || /[?#]/.test(text) || !URL.canParse(text)) return null;
  const { username, password, origin, pathname } = new URL(text);
  return username === '' && password === '' ? origin + pathname.replace(/(?<!\/)\/+$/, '') : null;
}
