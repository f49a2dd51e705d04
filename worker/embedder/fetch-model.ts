import { parseArgs } from 'node:util';
import { readModelSettings } from '../../shared/config.ts';
import { failStartup } from '../../shared/lifecycle.ts';
import { loadEnvironmentFile } from '../../shared/settings/environment.ts';
import { showProgress } from './fetch-progress.ts';
import type { ModelSettings } from './model.ts';
import { configuredModel } from './model-client-options.ts';
import {
  type EnsureOptions,
  ensureModelFiles,
  type ModelFileCheck,
  ModelMissingError,
  modelFolder,
  verifyModelFiles,
} from './model-files.ts';
import { describeNeeds, type ModelNeeds, memoryLimit } from './model-needs.ts';
import { shownSize } from './shown-size.ts';
import { tryModel } from './try-model.ts';

/** `npm run fetch-model` downloads the model before the service starts, or for a machine without network. */
const HELP = `Downloads the model for embeddings, verifies every file by SHA-256 and loads the model once.

Usage: npm run -s fetch-model [-- --files-only | --verify]

  --files-only   only download and verify the files, for a machine without network; the memory of this one does not matter
  --verify       only verify the existing files; nothing is downloaded or loaded
  --help         this text

It says first what the model needs, and downloads nothing if the disk or the memory is clearly too small. If it is
interrupted, run it again: it continues where it stopped. Existing files that are not damaged are not downloaded again.
The model and its folder are set in the environment or in a file .env in this folder: MEMORY_EMBEDDING_MODEL,
MEMORY_MODEL_DIR, and MEMORY_MODEL_HUB for a mirror. Behind a proxy, set NODE_USE_ENV_PROXY=1 in addition to HTTPS_PROXY.
For a machine without network, copy the model's folder, including checksums.json, into the folder of models there.`;

/** The exit code that a shell reports for a command that Ctrl-C ended. */
const INTERRUPTED = 130;

const VERDICTS: Readonly<Record<ModelFileCheck['verdict'], string>> = {
  ok: 'ok',
  missing: 'missing',
  damaged: 'damaged',
  unknown: 'unknown: no checksum is stored, because this command did not download it',
};

type Model = Omit<ModelSettings, 'allowDownload'>;

async function main(): Promise<void> {
  const { verify, help, 'files-only': filesOnly = false } = readArguments();
  if (help === true) {
    console.log(HELP);
    return;
  }
  loadEnvironmentFile();
  const { model, megabytes } = configuredModel(readModelSettings(process.env));
  const { name, hub } = model;
  const folder = modelFolder(model);
  console.log(`model   ${name}\nfolder  ${folder}\nhub     ${hub}`);
  const limit = filesOnly ? {} : { memoryLimit: memoryLimit(megabytes) };
  const checks = verify === true ? await verifyModelFiles(model) : await fetchSound(model, limit);
  for (const check of checks) console.log(line(check));
  const bad = checks.find(({ verdict }) => verdict === 'missing' || verdict === 'damaged');
  if (bad !== undefined) {
    const fault = bad.verdict === 'missing' ? `no ${bad.file}` : bad.file;
    const advice = verify === true ? 'run npm run fetch-model without --verify' : 'try again';
    throw new ModelMissingError(
      `Embedding model ${name} is ${bad.verdict}: ${fault} in ${folder}: ${advice}`,
    );
  }
  if (verify === true) return;
  if (filesOnly) {
    console.log(`complete: ${name} in ${folder}`);
    console.log(
      `next: copy this folder to ${name} in the folder of models of the other machine (MEMORY_MODEL_DIR)`,
    );
    return;
  }
  const bytes = await tryModel({ model, megabytes });
  console.log(`ready: ${name} in ${folder}, loaded in ${shownSize(bytes)} of memory`);
  console.log('next: start the service with MEMORY_API_SERVER_EMBEDDINGS=1');
}

function readArguments() {
  try {
    const options = {
      verify: { type: 'boolean' },
      'files-only': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ options, strict: true }).values;
  } catch (error) {
    // The first sentence of a message of parseArgs names the option. The rest explains syntax and is left out.
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')} (see --help)`, { cause: error });
  }
}

/** Fetches missing files, fetches damaged ones again, and returns the result of the last check. */
async function fetchSound(
  model: Model,
  limit: Pick<EnsureOptions, 'memoryLimit'>,
): Promise<ModelFileCheck[]> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const shown = showProgress(process.stdout);
  const fetchFiles = async (damaged: readonly string[]) => {
    const begin = (needs: ModelNeeds) => console.log(`needs   ${describeNeeds(needs)}`);
    const options = { begin, report: shown.report, signal: stop.signal, damaged, ...limit };
    await ensureModelFiles({ ...model, allowDownload: true }, options).finally(shown.end);
    const checks = await verifyModelFiles(model);
    stop.signal.throwIfAborted();
    return checks;
  };
  try {
    const checks = await fetchFiles([]);
    const damaged = checks.filter(({ verdict }) => verdict === 'damaged').map(({ file }) => file);
    for (const file of damaged) console.log(`damaged and fetched again: ${file}`);
    return damaged.length === 0 ? checks : await fetchFiles(damaged);
  } catch (error) {
    if (stop.signal.aborted) {
      console.log('interrupted: run it again to continue');
      process.exit(INTERRUPTED);
    }
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

function line({ file, bytes, verdict }: ModelFileCheck): string {
  const size = bytes === null ? '' : shownSize(bytes);
  return `${file.padEnd(26)} ${size.padStart(9)}  ${VERDICTS[verdict]}`;
}

await main().catch(failStartup);
