import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Draw } from '../../documents/draw.ts';
import { execute, run, write } from '../../support/programs.ts';
import type { Expected } from '../judge.ts';
import type { Made, Maker } from '../samples.ts';
import { type Attached, HEADER_WORDS, mailCases } from './mail-cases.ts';
import { PYTHON, runScript } from './scripts.ts';

/** Office files to attach, with their texts. */
async function officeFiles(work: string): Promise<(Attached & { texts: string[] })[]> {
  const d = new Draw('attached');
  const types = {
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    odt: 'application/vnd.oasis.opendocument.text',
    rtf: 'application/rtf',
    epub: 'application/epub+zip',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  };
  return Promise.all(
    Object.entries(types).map(async ([extension, type]) => {
      const texts = [d.sentence(), d.sentence()];
      const source = await write(join(work, `attached-${extension}.md`), texts.join('\n\n'));
      const path = join(work, `attached.${extension}`);
      await run('pandoc', '-s --metadata title= -o', path, source);
      return { name: `report.${extension}`, type, content: (await readFile(path)).toString('base64'), texts };
    }),
  );
}

export const pythonMail: Maker = {
  commands: [PYTHON, 'pandoc'],
  packages: 'python3 pandoc',
  make: async (work) => {
    const cases = Object.entries(mailCases(await officeFiles(work)));
    const mails = cases.map(([name, mail]) => ({ ...mail, path: join(work, `${name}.eml`) }));
    const boxed = cases.filter(([name]) =>
      ['plain', 'html', 'quoted', 'russian', 'text', 'stub'].includes(name),
    );
    const box = { path: join(work, 'box.mbox'), mails: boxed.map(([, mail]) => mail) };
    await runScript('mail.py', { mails, boxes: [box] });
    const all: Expected = {
      texts: boxed.flatMap(([, { expected }]) => expected.texts),
      optional: boxed.flatMap(([, { expected }]) => expected.optional ?? []),
    };
    return [
      ...cases.map(
        ([name, { expected }], at): Made => ({ kind: 'mail', name, path: mails[at]!.path, expected }),
      ),
      { kind: 'mail', name: 'box', path: box.path, expected: all },
    ];
  },
};

/** A program that sends mail, for others: it writes the mail to a file. */
async function fakeSender(work: string): Promise<{ command: string; sent: string }> {
  const sent = join(work, 'sent.eml');
  const command = await write(join(work, 'send.sh'), `#!/bin/sh\ncat > ${sent}\n`);
  await chmod(command, 0o755);
  return { command, sent };
}

/** Mutt, S-nail, and the Perl modules MIME::Entity and Email::Stuffer. */
export const mailPrograms: Maker = {
  commands: ['mutt', 's-nail', 'perl'],
  packages: 'mutt s-nail libmime-tools-perl libemail-stuffer-perl',
  make: async (work) => {
    const { command, sent } = await fakeSender(work);
    const made: Made[] = [];
    const add = async (
      name: string,
      subject: string,
      expected: Omit<Expected, 'title'>,
      content?: Uint8Array,
    ) => {
      const path = await write(join(work, `${name}.eml`), content ?? (await readFile(sent)));
      const optional = [HEADER_WORDS, 'root', subject, ...(expected.optional ?? [])];
      made.push({
        kind: 'mail',
        name,
        path,
        expected: { ...expected, title: subject, optional, isHexFree: true },
      });
    };
    for (const [at, language] of (['en', 'de', 'ru'] as const).entries()) {
      const d = new Draw(`programs-${language}`, language);
      const [subject, body, note] = [d.words(3), d.text(2, 3), d.text(2, 3)];
      const file = await write(join(work, `minutes-${at}.txt`), `${note}\n`);
      const rows = d.many(3, 5, () => [d.words(1), d.words(2), d.amount()]);
      const labels = ['Part', 'Name', 'Quantity'];
      const table = await write(
        join(work, `parts-${at}.csv`),
        [labels, ...rows].map((row) => row.join(',')).join('\n'),
      );
      const source = await write(join(work, 'body.txt'), `${body}\n`);
      const asText = { texts: [body, note], optional: ['minutes-0.txt minutes-1.txt minutes-2.txt'] };
      const asTable = {
        texts: [body],
        tables: [{ labels, rows }],
        optional: ['parts-0.csv parts-1.csv parts-2.csv'],
      };
      const settings = await write(
        join(work, 'muttrc'),
        `set sendmail="${command}"\nset copy=no\nset charset=utf-8\nset from="ann@example.org"\n`,
      );
      const shell = (line: string, ...values: string[]) =>
        execute('sh', ['-c', line, 'sh', ...values], {
          env: { ...process.env, LC_ALL: 'C.UTF-8', HOME: work },
        });
      await shell(
        'mutt -n -F "$1" -s "$2" -a "$3" -- bob@example.org < "$4"',
        settings,
        subject,
        file,
        source,
      );
      await add(`mutt-text-${language}`, subject, asText);
      await shell(
        'mutt -n -F "$1" -s "$2" -a "$3" -- bob@example.org < "$4"',
        settings,
        subject,
        table,
        source,
      );
      await add(`mutt-csv-${language}`, subject, asTable);
      await shell(
        's-nail -n -S sendwait -S mta="$1" -r ann@example.org -s "$2" -a "$3" bob@example.org < "$4"',
        command,
        subject,
        table,
        source,
      );
      await add(`s-nail-csv-${language}`, subject, asTable);
      const jobs = [
        { with: 'entity', file, type: 'text/plain; charset=UTF-8' },
        { with: 'entity', file: table, type: 'text/csv' },
        { with: 'stuffer', file, type: '' },
      ].map((job, index) => ({ ...job, subject, text: body, path: join(work, `perl-${index}.eml`) }));
      await runScript('mail.pl', jobs);
      const names = ['entity-text', 'entity-csv', 'stuffer-text'];
      for (const [index, { path }] of jobs.entries()) {
        // Email::Stuffer attaches the text and the HTML one after the other, so that a person sees both.
        const given =
          index === 1
            ? asTable
            : { ...asText, optional: [...asText.optional, ...(index === 2 ? [body] : [])] };
        await add(`${names[index]}-${language}`, subject, given, await readFile(path));
      }
    }
    return made;
  },
};

/** Patches, a mailbox of them, and a log with colours, of a repository that git makes. */
export const git: Maker = {
  commands: ['git'],
  packages: 'git',
  make: async (work) => {
    const folder = join(work, 'repository');
    await mkdir(folder, { recursive: true });
    const d = new Draw('git');
    const repository = (options: string, ...more: readonly string[]) =>
      execute(
        'git',
        ['-c', 'user.name=Ann Miller', '-c', 'user.email=ann@example.org', ...options.split(' '), ...more],
        { cwd: folder },
      );
    await repository('init -q');
    const [subjects, bodies, lines] = [
      d.many(3, 3, () => d.title()),
      d.many(3, 3, () => d.text(2, 2)),
      d.many(3, 3, () => d.sentence()),
    ];
    for (const [at, subject] of subjects.entries()) {
      await write(join(folder, 'notes.txt'), `${lines.slice(0, at + 1).join('\n')}\n`);
      await repository('add .');
      await repository('commit -q -m', `${subject}\n\n${bodies[at]}`);
    }
    const optional = [
      `${HEADER_WORDS} PATCH 1/3 2/3 3/3 Author commit notes.txt a/notes.txt b/notes.txt b/notes.txt file files changed insertion insertions create mode diff git index dev null new dev/null HEAD main master`,
      ...subjects,
      ...lines,
    ];
    const texts = [...bodies, ...lines];
    const kept = async (name: string, kind: string, options: string, expected: Expected): Promise<Made> => {
      const { stdout } = await repository(options);
      return { kind, name, path: await write(join(work, name), stdout), expected };
    };
    const codes = (stdout: Expected): Expected => ({ ...stdout, isHexFree: true });
    return Promise.all([
      kept('series.mbox', 'mail', 'format-patch --root --stdout HEAD', codes({ texts, optional })),
      kept(
        'one.eml',
        'mail',
        'format-patch -1 --stdout',
        codes({ texts: [bodies[2]!, lines[2]!], optional }),
      ),
      kept('change.patch', 'text kinds', 'diff HEAD~1', codes({ texts: [lines[2]!], optional })),
      kept(
        'history.log',
        'text kinds',
        'log --color=always',
        codes({ texts: [...subjects, ...bodies], optional }),
      ),
      kept(
        'changes.log',
        'text kinds',
        'log --color=always -p',
        codes({ texts: [...subjects, ...texts], optional }),
      ),
    ]);
  },
};
