import { type Bucket, formatObjectName, ObjectFault, parseObjectName } from '../../db/objects/bucket.ts';

/** A bucket in memory, whose objects a test can change. */
export interface MemoryBucket extends Bucket {
  readonly objects: Map<string, Buffer>;
  /** Called before each request. A test replaces it to fail or to wait. */
  before: (operation: 'put' | 'get' | 'delete', key: string) => Promise<void> | void;
}

/** What a bucket that does not answer makes of a request. */
export const noAnswer = () => {
  throw new ObjectFault('unavailable', 'the bucket of the test does not answer');
};

/** Opens an empty bucket. All its objects are two days old. */
export function openMemoryBucket(): MemoryBucket {
  const objects = new Map<string, Buffer>();
  const writtenAt = new Date(Date.now() - 2 * 86_400_000);
  const bucket: MemoryBucket = {
    objects,
    before: () => undefined,
    keyOf: formatObjectName,
    nameOf: parseObjectName,
    put: async (key, content) => {
      await bucket.before('put', key);
      objects.set(key, Buffer.from(content));
    },
    get: async (key, { first, last }, verify) => {
      await bucket.before('get', key);
      const object = objects.get(key);
      if (object === undefined) throw new ObjectFault('missing', 'the object of the test does not exist');
      const part = object.subarray(first, last + 1);
      verify(part);
      return part;
    },
    delete: async (key) => {
      await bucket.before('delete', key);
      objects.delete(key);
    },
    list: async (limit, after) => {
      const keys = [...objects.keys()].sort().filter((key) => after === null || key > after);
      const page = keys.slice(0, limit);
      const next = keys.length > limit ? (page.at(-1) ?? null) : null;
      return { objects: page.map((key) => ({ key, writtenAt })), next };
    },
    requests: () => [],
  };
  return bucket;
}
