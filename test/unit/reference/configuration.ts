import { SETTINGS } from '../../../shared/settings/definitions.ts';
import { defaultText, type Setting, variablesOf } from '../../../shared/settings/setting.ts';
import { code, pageHead, tableText } from './markdown.ts';

const INTRODUCTION = `
Every setting is an environment variable. The service also reads a file \`.env\` in its working folder; a variable that
is already set wins over the file.

- An empty variable counts as not set.
- If a value is not valid, the service does not start. It exits with code 1 and prints one line for each such variable.
  The line names what is expected and never shows the value.
- A variable that begins with \`MEMORY_\` and is not in this table is ignored. The log has a warning that names the
  nearest variable.
- If a row has two variables, the first one wins.
- The service reads its settings once, when it starts.`;

const NOTES = `
## Secrets

A setting with "Secret." in its description is a credential, or can contain one. The service never logs or shows it.

## First start

The settings with "First start only." name the Company, the Team and the Owner that the first start creates. Later starts
ignore them. If a set value then differs from what is stored, the log has a warning.

## Variables of other programs

The terminal client reads \`MEMORY_API_TOKEN\`, \`MEMORY_API_PUBLIC_URL\`, \`MEMORY_API_PORT\`, \`PORT\`, \`MEMORY_PROFILE\` and \`MEMORY_NO_UPDATE_NOTIFIER\`: see
[the terminal client](terminal-client.md). Its hooks for coding agents also read \`MEMORY_HOOK_TIMEOUT_MS\` and
\`MEMORY_HOOK_DEBUG\`, and \`MEMORY_HOOK_CHECK\`, which \`memory doctor\` sets: see [coding agents](../guide/coding-agents.md). The tests read variables that begin with \`MEMORY_TEST_\`: see
[tests](../contributing/tests.md).`;

function defaultCell(setting: Setting): string {
  const text = defaultText(setting);
  const isValue = !setting.isRequired && setting.defaultInWords === undefined && text !== 'none';
  return isValue ? code(text) : text;
}

function descriptionCell({ description, isSecret, appliesAtFirstStart }: Setting): string {
  return [description, appliesAtFirstStart && 'First start only.', isSecret && 'Secret.']
    .filter(Boolean)
    .join(' ');
}

/** The page about settings, from their definitions. */
export function configurationPage(): string {
  const rows = Object.values<Setting>(SETTINGS).map((setting) => [
    variablesOf(setting).map(code).join(', '),
    defaultCell(setting),
    setting.type.accepts,
    descriptionCell(setting),
  ]);
  const table = tableText(['Variable', 'Default', 'Accepts', 'Description'], rows);
  return [pageHead('Configuration', 'shared/settings'), INTRODUCTION.trimStart(), '', table, NOTES, ''].join(
    '\n',
  );
}
