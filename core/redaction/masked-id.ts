import { createHmac } from 'node:crypto';
import { MAX_NAME } from '../../shared/schemas/common.ts';
import { cutMasked } from './cut-masked.ts';

/** Characters of the hash. */
const HASH_LENGTH = 8;

/**
 * What is stored of an id that a caller chose. Two ids that differ only in their credentials must not become one, so a
 * masked id has a short hash of the whole one.
 * @param given the id of the request
 * @param masked the id with masks in place of its credentials; `given` itself if it has none
 */
export function maskedId<T extends string | undefined>(teamId: string, given: T, masked: T): T | string {
  if (given === undefined || masked === undefined || masked === given) return masked;
  const hash = createHmac('sha256', teamId).update(given).digest('hex').slice(0, HASH_LENGTH);
  return `${cutMasked(masked, MAX_NAME - HASH_LENGTH - 1)}#${hash}`;
}
