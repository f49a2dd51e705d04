import { createHash } from 'node:crypto';
import type { Blob } from '../../db/blobs.ts';
import { decodeBase64 } from '../../shared/base64.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { MAX_FILE_BYTES, type PushedFile } from '../../shared/schemas/workspace.ts';
import type { WorkspacePath } from '../../shared/workspace-path.ts';
import { givenPaths, shownPath } from './given-paths.ts';

/** A file of a push: its content, or null where it is to be deleted. */
export interface Pushed extends WorkspacePath {
  baseVersion: number;
  blob: Blob | null;
}

/** Whether a content in base64 stands for more bytes than a file may have, without decoding it. */
function isTooLarge(base64: string): boolean {
  // Blanks, of which the count by length knows nothing, stand for none.
  return (
    base64.length > MAX_FILE_BYTES &&
    Buffer.byteLength(base64.replaceAll(/\s+/g, ''), 'base64') > MAX_FILE_BYTES
  );
}

function readContent({ contentBase64, sha256, deleted }: PushedFile, index: number): Blob | null {
  const field = `/files/${index}`;
  if (deleted === true) {
    if (contentBase64 !== undefined)
      throw invalidField(`${field}/contentBase64`, 'must not stand beside deleted');
    if (sha256 !== undefined) throw invalidField(`${field}/sha256`, 'must not stand beside deleted');
    return null;
  }
  if (contentBase64 === undefined) throw invalidField(`${field}/contentBase64`, 'is required');
  if (sha256 === undefined) throw invalidField(`${field}/sha256`, 'is required');
  const content = decodeBase64(contentBase64);
  if (content === null) throw invalidField(`${field}/contentBase64`, 'is not base64');
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== sha256.toLowerCase()) {
    throw invalidField(`${field}/sha256`, 'is not the SHA-256 of the content in hexadecimal');
  }
  return { sha256: actual, content };
}

/**
 * Reads the files of a push.
 * @throws ServiceError `invalid_path`, `invalid_request`, `payload_too_large`
 */
export function readPushedFiles(files: readonly PushedFile[]): Pushed[] {
  const large = files.find(({ contentBase64 }) => contentBase64 !== undefined && isTooLarge(contentBase64));
  if (large !== undefined) {
    throw new ServiceError(
      'payload_too_large',
      `${shownPath(large.path)}: a file has at most ${MAX_FILE_BYTES} bytes`,
    );
  }
  const paths = givenPaths(files);
  const places = new Map<string, number>();
  for (const [index, { path }] of paths.entries()) {
    const earlier = places.get(path);
    if (earlier !== undefined)
      throw invalidField(`/files/${index}/path`, `stands at /files/${earlier} already`);
    places.set(path, index);
  }
  return files.map((file, index) => ({
    ...(paths[index] as WorkspacePath),
    baseVersion: file.baseVersion,
    blob: readContent(file, index),
  }));
}
