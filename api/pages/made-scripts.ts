import { QUEUE_NAMES, queueDefinition } from '../../shared/queues.ts';
import { AUDIT_KINDS } from '../../shared/schemas/audit-kinds.ts';
import { readClientPackage } from './client-package.ts';
import { type PageFile, pageFile } from './page-files.ts';

/** The label of each queue, in the order in which they are shown. */
const queueLabels = () => Object.fromEntries(QUEUE_NAMES.map((name) => [name, queueDefinition(name).label]));

/** What each kind of audit event means. */
const auditMeanings = () =>
  Object.fromEntries(Object.entries(AUDIT_KINDS).map(([kind, { meaning }]) => [kind, meaning]));

/** Modules of the console with what the service knows, by their paths: the name of the export, and its value. */
const MODULES: Readonly<Record<string, readonly [string, () => unknown]>> = {
  'dashboard/figures/queue-labels.js': ['QUEUE_LABELS', queueLabels],
  'console/pages/audit/audit-kinds.js': ['AUDIT_MEANINGS', auditMeanings],
  'console/client-package.js': ['CLIENT_SHA256', () => readClientPackage()?.sha256 ?? null],
};

/** The scripts that the service makes, by the paths at which the console finds them. */
export function madeScripts(): Map<string, PageFile> {
  return new Map(
    Object.entries(MODULES).map(([path, [name, value]]) => [
      path,
      pageFile(path, `export const ${name} = ${JSON.stringify(value())};\n`),
    ]),
  );
}
