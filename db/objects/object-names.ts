import { isId } from '../../shared/ids.ts';
import type { ObjectName } from '../queries/workspace/bucket-contents.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** The name of an object, without the prefix of the bucket. All objects of a Company begin with its id. */
export function formatObjectName({ companyId, sha256, objectId }: ObjectName): string {
  return `${companyId}/${sha256}/${objectId}`;
}

/** Reads the name of an object; null if a text is not one. */
export function parseObjectName(text: string): ObjectName | null {
  const [companyId = '', sha256 = '', objectId = '', ...others] = text.split('/');
  const isName = others.length === 0 && isId(companyId) && isId(objectId) && SHA256.test(sha256);
  return isName ? { companyId, sha256, objectId } : null;
}
