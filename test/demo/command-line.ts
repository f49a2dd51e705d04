import { parseArgs } from 'node:util';
import { DemoError, reason } from './failure.ts';

export const HELP = `Shows the service at work: stores documents, makes their embeddings, asks questions.

Usage: npm run demo -- [options] [folder]

  folder          documents to store (.md, .txt), at any depth; without it this
                  project's README.md and the samples in docs/guide/samples
  --ask <text>    a question to ask; may be given several times
  --url <base>    use the service there, with the credential in MEMORY_API_TOKEN;
                  without it the demo starts one of its own, in a folder that it
                  removes at the end
  --team <id>     with --url: which Team, where the credential reaches several
  --no-download   do not fetch the embedding model
  --help          this text

The model is looked for in MEMORY_MODEL_DIR (.data/models) and fetched into it
where it is missing, once. Where that fails, the demo goes on with a small model
that it makes itself, which knows shared letters and nothing of meaning.`;

/** What the command line asks for. */
export interface DemoOptions {
  folder: string | null;
  questions: string[];
  /** Of a running service, without a slash at the end; null: start one. */
  url: string | null;
  team: string | undefined;
  download: boolean;
}

/**
 * Reads the command line; null where help is asked for.
 * @throws DemoError naming what is not understood
 */
export function readCommandLine(args: string[]): DemoOptions | null {
  const { values, positionals } = parse(args);
  if (values.help === true) return null;
  if (positionals.length > 1) throw new DemoError(`one folder, not ${positionals.length} (see --help)`);
  return {
    folder: positionals[0] ?? null,
    questions: values.ask ?? [],
    url: values.url === undefined ? null : readBase(values.url),
    team: values.team,
    download: values['no-download'] !== true,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ask: { type: 'string', multiple: true },
        url: { type: 'string' },
        team: { type: 'string' },
        'no-download': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new DemoError(`${reason(error).split('. ', 1)[0]} (see --help)`);
  }
}

function readBase(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new DemoError('--url: expected an absolute http or https address');
  }
  return text.replace(/\/+$/, '');
}
