import { isPlaceholder, patternRule, type Rule } from './match.ts';

/** In an example, the password is the name of the user or one of these words. */
const EXAMPLE =
  /^(?:pass(?:word|wd)?|pwd|secret|token|my-?password|changeme|test|user|root|admin|x-oauth-basic)$/i;

const isPassword = (value: string) => value.length >= 4 && !isPlaceholder(value) && !EXAMPLE.test(value);

const rule = patternRule(
  'url-password',
  /:\/\/[^\s:/@"'<>`]{0,100}:(?<value>[^\s/"'<>`]{1,256})@[^\s/"'<>`@]/dg,
  isPassword,
);

/** The password of a user in an address, of any scheme: `postgres://user:password@host`. */
export const urlPasswords: Rule = function* (text) {
  for (const match of rule(text)) {
    const user = text.slice(text.lastIndexOf('/', match.start) + 1, match.start - 1);
    if (user !== text.slice(match.start, match.end)) yield match;
  }
};
