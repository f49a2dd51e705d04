import { type FieldError, ServiceError } from '../../shared/errors.ts';
import {
  readWorkspacePath,
  readWrittenPath,
  type WorkspacePath,
} from '../../shared/formats/workspace-path.ts';

/** What a refusal shows of a path: one that is refused for its length may have millions of characters. */
const SHOWN_CHARACTERS = 200;

type GivenFile = { path: string; contentBase64?: string };

/** A path as a refusal shows it. */
export function shownPath(path: string): string {
  return JSON.stringify(path.slice(0, SHOWN_CHARACTERS).toWellFormed());
}

/**
 * Reads the paths of a request, of files that are pulled, deleted or written.
 * @throws ServiceError `invalid_path`, which lists every invalid path
 */
export function givenPaths(files: readonly GivenFile[]): WorkspacePath[] {
  const errors: FieldError[] = [];
  const paths: WorkspacePath[] = [];
  for (const [index, { path, contentBase64 }] of files.entries()) {
    const read = contentBase64 === undefined ? readWorkspacePath(path) : readWrittenPath(path);
    if (typeof read !== 'string') paths.push(read);
    else {
      errors.push({ path: `/files/${index}/path`, message: `${shownPath(path)} ${read}` });
    }
  }
  if (errors.length === 0) return paths;
  const detail = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  throw new ServiceError('invalid_path', detail, { errors });
}
