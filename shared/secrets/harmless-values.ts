/*
 * Values that only look like a credential.
 */

/** Numbers of versions, dates, times and amounts. */
const NUMBERS =
  /^(?:[~^<>=v]{0,2}\d+\.\d+(?:\.\d+)?(?:[-.+][\w.+-]+)?|\d{4}-\d\d-\d\d|\d+(?:st|nd|rd|th|px|ms|min|days?)|(?:min|max)[-_]?\d{1,4}[-_]?(?:chars?|characters|letters|digits)?|0x[\da-f]{1,40})$|^\d{4}-\d\d-\d\d[T ]/i;
/** Paths, addresses, digests, colours. */
const PLACES = /^(?:(?:~|\.{0,2})\/|[a-z][a-z0-9+.-]*:\/\/|arn:|sha\d+-|#[\da-f]+$|@)/i;
/** The secret key of AWS is base64 of this length. One of 64 begins like a path. */
const AWS_SECRET = /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z\d+/]{40}$/;
/** Names of algorithms, types and products. */
const NAMES =
  /^(?:(?:sha|aes|md|rsa|hs|rs|es|utf|iso|ed|x)[-_]?\d{1,9}(?:[-_]\w+)?|(?:argon2(?:id?)?|pbkdf2|hmac)(?:[-_](?:hmac|sha|md|aes)?\d{0,4}){0,3}|base\d\d(?:url)?|oauth2?|1password|u?int\d\w*|float\d\w*)$/i;
/** The name of a thing: `kubernetes-secret-name-v2`, `team/app/db-key`. At least three words, in lower case. */
const WORDS = /^[a-z]{2,30}(?:[-/_.](?:[a-z]{2,30}|v?\d{1,4})){2,12}$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a value is known to be no credential, whatever its name is. */
export function isHarmless(value: string): boolean {
  const isPlace = PLACES.test(value) && !AWS_SECRET.test(value);
  return isPlace || NUMBERS.test(value) || NAMES.test(value) || WORDS.test(value);
}

/** Whether a value is an id. Few choose one as a password on purpose, but then its name says so. */
export const isUuid = (value: string) => UUID.test(value);
