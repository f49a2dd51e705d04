import { isPlaceholder, type Rule } from './match.ts';
import { patternRule } from './pieces.ts';

/** In an example, the password is the name of the user or one of these words. */
const EXAMPLE =
  /^(?:pass(?:word|wd)?|pwd|secret|token|my-?password|changeme|test|user|root|admin|x-oauth-basic)$/i;

const isPassword = (value: string) => value.length >= 4 && !isPlaceholder(value) && !EXAMPLE.test(value);

const rule = patternRule(
  'url-password',
  /:\/\//g,
  /:\/\/[^\s:/@"'<>`]{0,100}:(?<value>[^\s/"'<>`]{1,256})@[^\s/"'<>`@]/dy,
  isPassword,
);

/** The password of a user in an address, of any scheme: `postgres://user:password@host`. */
export const urlPasswords: Rule = {
  ...rule,
  *find(text, range) {
    for (const match of rule.find(text, range)) {
      if (match === undefined || !isUser(text, match)) yield match;
    }
  },
};

/** Whether a password is the name of its user. */
function isUser(text: string, { start, end }: { start: number; end: number }): boolean {
  const user = text.slice(text.lastIndexOf('/', start) + 1, start - 1);
  return user === text.slice(start, end);
}
