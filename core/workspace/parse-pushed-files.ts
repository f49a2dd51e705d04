import { createHash } from 'node:crypto';
import type { Blob } from '../../db/queries/workspace/blobs.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { base64Length, decodeBase64 } from '../../shared/formats/base64.ts';
import type { WorkspacePath } from '../../shared/formats/workspace-path.ts';
import { yieldBetweenSteps } from '../../shared/resources/yield-between-steps.ts';
import { MAX_FILE_BYTES, type PushedFile } from '../../shared/schemas/workspace.ts';
import { parsePaths, shownPath } from './parse-paths.ts';

/** A file of a push. `blob` is its content, or null if the file is to be deleted. */
export interface Pushed extends WorkspacePath {
  baseVersion: number;
  blob: Blob | null;
}

/** Whether a content in base64 is larger than a file can be. Does not decode it. */
async function isTooLarge(base64: string): Promise<boolean> {
  return base64.length > MAX_FILE_BYTES && (await base64Length(base64)) > MAX_FILE_BYTES;
}

async function parseContent(
  { contentBase64, sha256, deleted }: PushedFile,
  index: number,
): Promise<Blob | null> {
  const field = `/files/${index}`;
  if (deleted === true) {
    if (contentBase64 !== undefined)
      throw invalidField(`${field}/contentBase64`, 'cannot be combined with deleted');
    if (sha256 !== undefined) throw invalidField(`${field}/sha256`, 'cannot be combined with deleted');
    return null;
  }
  if (contentBase64 === undefined) throw invalidField(`${field}/contentBase64`, 'is required');
  if (sha256 === undefined) throw invalidField(`${field}/sha256`, 'is required');
  const content = await decodeBase64(contentBase64);
  if (content === null) throw invalidField(`${field}/contentBase64`, 'is not base64');
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== sha256.toLowerCase()) {
    throw invalidField(`${field}/sha256`, 'is not the SHA-256 of the content in hexadecimal');
  }
  return { sha256: actual, content };
}

/**
 * Parses the files of a push. Yields to other requests after each file: to hash one blocks for at most 30 ms.
 * @throws ServiceError `invalid_path`, `invalid_request`, `payload_too_large`
 */
export async function parsePushedFiles(files: readonly PushedFile[]): Promise<Pushed[]> {
  for (const { path, contentBase64 } of files) {
    if (contentBase64 === undefined || !(await isTooLarge(contentBase64))) continue;
    throw new ServiceError(
      'payload_too_large',
      `${shownPath(path)}: a file can have at most ${MAX_FILE_BYTES} bytes`,
    );
  }
  const paths = parsePaths(files);
  const places = new Map<string, number>();
  for (const [index, { path }] of paths.entries()) {
    const earlier = places.get(path);
    if (earlier !== undefined)
      throw invalidField(`/files/${index}/path`, `is the path of /files/${earlier} too`);
    places.set(path, index);
  }
  const pushed: Pushed[] = [];
  const yieldIfDue = yieldBetweenSteps();
  for (const [index, file] of files.entries()) {
    const place = paths[index] as WorkspacePath;
    pushed.push({ ...place, baseVersion: file.baseVersion, blob: await parseContent(file, index) });
    await yieldIfDue();
  }
  return pushed;
}
