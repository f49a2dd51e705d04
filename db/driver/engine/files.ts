import { writeSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** The errno of ENOSPC in the engine (WASI). */
const NO_SPACE = 51;

/** The parts of the engine's file system that are used here. The package does not declare them. */
interface OpenFile {
  path?: string;
}
type Write = (file: OpenFile, ...rest: unknown[]) => number;
interface EngineModule {
  FS: { filesystems: { NODEFS: { stream_ops: { write: Write } } } };
}

/** Writes the reason to stderr and ends the thread of the engine. The process then ends too. */
function end(folder: string): never {
  writeSync(
    2,
    `MEMORY_DATA_DIR: the disk of ${folder} is full and the database cannot write its log. ` +
      'Nothing that was acknowledged is lost. Free some space and start the service again.\n',
  );
  process.exit(1);
}

/** A file of the log, and not one that is filled with zeros before it becomes one. */
const LOG_FILE = /\/pg_wal\/[0-9A-F]{24}$/;

/**
 * The files of the embedded database in a folder. If its write-ahead log cannot be written, the engine (PGlite 0.5.14)
 * does not fail: its next commit never returns, and the process answers no requests. So the process ends at the failed
 * write, before a commit depends on it.
 */
export class EmbeddedFiles extends NodeFS {
  /** How many bytes were written to the log since this was last set to 0. A page is written again when it grows. */
  logBytes = 0;

  override async init(...[engine, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine, options);
    const guard = (module: unknown) => {
      const operations = (module as EngineModule).FS.filesystems.NODEFS.stream_ops;
      const { write } = operations;
      operations.write = (file, ...rest) => {
        try {
          const bytes = write(file, ...rest);
          if (LOG_FILE.test(file.path ?? '')) this.logBytes += bytes;
          return bytes;
        } catch (error) {
          const noSpace = (error as { errno?: unknown }).errno === NO_SPACE;
          if (noSpace && file.path?.includes('/pg_wal/')) end(this.rootDir);
          throw error;
        }
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), guard] } };
  }
}
