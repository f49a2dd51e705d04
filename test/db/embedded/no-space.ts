import fs from 'node:fs';

/*
 * Imported before all else, in every thread: while the file NO_SPACE_IF exists, PostgreSQL's log cannot be written, as on
 * a full disk.
 */
const { writeSync } = fs;
fs.writeSync = ((file: number, ...rest: unknown[]) => {
  const isLog = fs.readlinkSync(`/proc/self/fd/${file}`).includes('/pg_wal/');
  if (isLog && fs.existsSync(process.env['NO_SPACE_IF'] ?? '')) {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  return (writeSync as (...all: unknown[]) => number)(file, ...rest);
}) as typeof fs.writeSync;
