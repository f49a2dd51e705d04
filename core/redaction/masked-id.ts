import { createHmac } from 'node:crypto';

/**
 * What is stored of an id that a caller chose. Two ids that differ only in their credentials must not become one, so a
 * masked id has a short hash of the whole one.
 * @param given the id of the request
 * @param masked the id with masks in place of its credentials; `given` itself if it has none
 */
export function maskedId<T extends string | undefined>(teamId: string, given: T, masked: T): T | string {
  if (given === undefined || masked === given) return masked;
  const hash = createHmac('sha256', teamId).update(given).digest('hex').slice(0, 8);
  return `${masked}#${hash}`;
}
