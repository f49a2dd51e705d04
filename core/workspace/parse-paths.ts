import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { parseNewPath, parseWorkspacePath, type WorkspacePath } from '../../shared/formats/workspace-path.ts';
import { shownText } from '../../shared/secrets/shown-text.ts';

type GivenFile = { path: string; contentBase64?: string };

/** Returns a path as an error message shows it, without credentials. */
export function shownPath(path: string): string {
  return JSON.stringify(shownText(path).toWellFormed());
}

/**
 * Parses the paths of files that a request pulls, deletes or writes.
 * @throws ServiceError `invalid_path`, which lists every invalid path
 */
export function parsePaths(files: readonly GivenFile[]): WorkspacePath[] {
  const errors: FieldError[] = [];
  const paths: WorkspacePath[] = [];
  for (const [index, { path, contentBase64 }] of files.entries()) {
    const read = contentBase64 === undefined ? parseWorkspacePath(path) : parseNewPath(path);
    if (typeof read !== 'string') paths.push(read);
    else {
      errors.push({ path: `/files/${index}/path`, message: `${shownPath(path)} ${read}` });
    }
  }
  if (errors.length === 0) return paths;
  const detail = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  throw new ServiceError('invalid_path', detail, { errors });
}
