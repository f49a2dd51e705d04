import { existsSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ROOT } from '../../../test/support/root.ts';
import { execute, write } from '../../support/programs.ts';
import type { Made, Maker } from '../samples.ts';

/** Files of source code of Debian's packages and of this repository. Those that are not there are left out. */
const FILES = [
  ...['shlex', 'bisect', 'queue', 'sched', 'fnmatch', 'csv'].map((name) => `/usr/lib/python3.11/${name}.py`),
  '/usr/share/perl/5.36.0/AutoLoader.pm',
  '/usr/share/perl/5.36.0/Benchmark.pm',
  '/usr/lib/ruby/3.1.0/abbrev.rb',
  '/usr/lib/ruby/3.1.0/base64.rb',
  '/usr/include/aio.h',
  '/usr/include/argp.h',
  '/usr/share/doc/git/contrib/persistent-https/client.go',
  '/usr/share/pandoc/data/sample.lua',
  '/usr/share/gitweb/static/gitweb.css',
  '/usr/share/pandoc/data/translations/ru.yaml',
  '/usr/share/pandoc/data/translations/ko.yaml',
  '/etc/adduser.conf',
  '/etc/nsswitch.conf',
  '/etc/init.d/procps',
  '/usr/bin/zgrep',
  '/usr/bin/gunzip',
  join(ROOT, 'worker/extract/text.ts'),
  join(ROOT, 'worker/extract/csv.ts'),
  join(ROOT, 'docker-compose.yml'),
];

/** Lines that a passage can repeat, to say where it is. */
const DECLARATION =
  /^\s*(?:export |pub |async |abstract |public |static )*(?:class|def|function|func|fn|sub|module|interface|struct)\b.*$/gm;
/** Files without an extension are shell scripts here. */
const nameOf = (path: string) => (extname(path) === '' ? `${basename(path)}.sh` : basename(path));

/** Copies of files of source code. All their words must be found. */
export const copies: Maker = {
  commands: [],
  packages: 'python3 ruby git pandoc',
  make: async (work) => {
    const present = FILES.filter((path) => existsSync(path));
    return Promise.all(
      present.map(async (source): Promise<Made> => {
        const path = join(work, nameOf(source));
        await copyFile(source, path);
        const text = await readFile(path, 'utf8');
        const name = `${basename(path).replace('.', '-')}`;
        return {
          kind: 'source code',
          name,
          path,
          expected: { texts: [text], optional: text.match(DECLARATION) ?? [] },
        };
      }),
    );
  },
};

/** A dump of SQLite, lists of programs with colours, and the output of `diff`. */
export const output: Maker = {
  commands: ['sqlite3', 'ls', 'grep', 'diff'],
  packages: 'sqlite3 coreutils grep diffutils',
  make: async (work) => {
    const statements =
      "create table part (code text, city text); insert into part values ('B4417', 'Kiel'), ('D2102', 'Łódź');";
    const dump = (await execute('sqlite3', [':memory:', statements, '.dump'])).stdout;
    for (const name of ['budget.txt', 'minutes.sh', 'plan.zip'])
      await write(join(work, name), 'The pump is checked.\nThe valve is open.\n');
    const list = (await execute('ls', ['--color=always', '-l', work])).stdout;
    const found = (await execute('grep', ['--color=always', '-rn', 'valve', '.'], { cwd: work })).stdout;
    const plain = (await execute('grep', ['-rn', 'valve', '.'], { cwd: work })).stdout;
    await write(join(work, 'other.txt'), 'The pump is checked.\nThe gauge is open.\n');
    const changed = await execute('diff', ['-u', '--color=always', 'budget.txt', 'other.txt'], {
      cwd: work,
    }).catch(
      // It exits with 1, because the files differ.
      (error: Error & { stdout: string }) => error,
    );
    const kept = async (
      name: string,
      content: string,
      texts: readonly string[],
      optional: readonly string[] = [],
    ): Promise<Made> => ({
      kind: 'text kinds',
      name: name.replace('.', '-'),
      path: await write(join(work, name), content),
      expected: { texts, optional, isHexFree: true },
    });
    return [
      await kept('dump.sql', dump, [dump]),
      await kept(
        'list.log',
        list,
        ['budget.txt', 'minutes.sh', 'plan.zip'],
        ['total root drwxr-xr-x -rw-r--r-- rw-r--r rwxr-xr-x other.txt'],
      ),
      await kept('found.log', found, [plain]),
      await kept(
        'change.diff',
        changed.stdout,
        ['The pump is checked', 'The valve is open', 'The gauge is open'],
        ['budget.txt other.txt'],
      ),
    ];
  },
};
