import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { commandHelp, MAX_HELP_COLUMNS } from '../../../cli/program/help.ts';
import { COMMANDS, helpText } from '../../../cli/program/registry.ts';
import { EXIT_CODES } from '../../../cli/terminal/command-error.ts';
import { ERRORS } from '../../../shared/errors.ts';
import { AUDIT_KINDS } from '../../../shared/schemas/audit.ts';
import { SETTINGS } from '../../../shared/settings/definitions.ts';
import { defaultText, type Setting, variablesOf } from '../../../shared/settings/setting.ts';
import { ROOT } from '../../support/root.ts';
import { code, tableText } from './markdown.ts';
import { toolSections } from './mcp-tools.ts';

function eventTable(): string {
  const rows = Object.entries(AUDIT_KINDS).map(([kind, { subjects, meaning }]) => [
    code(kind),
    subjects.map(code).join(', '),
    meaning,
  ]);
  return tableText(['Kind', 'Subject', 'Meaning'], rows);
}

function settingTable(): string {
  const rows = Object.values<Setting>(SETTINGS).map((setting) => {
    const { type, description, appliesAtFirstStart, isSecret, isRequired, defaultInWords } = setting;
    const text = defaultText(setting);
    const isValue = !isRequired && defaultInWords === undefined && text !== 'none';
    return [
      variablesOf(setting).map(code).join(', '),
      isValue ? code(text) : text,
      type.accepts,
      [description, appliesAtFirstStart && 'First start only.', isSecret && 'Secret.']
        .filter(Boolean)
        .join(' '),
    ];
  });
  return tableText(['Variable', 'Default', 'Accepts', 'Description'], rows);
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(([name, { status, title }]) => [
    `${status} ${STATUS_CODES[status]}`,
    code(name),
    title,
  ]);
  return tableText(['Status', 'Code', 'Title'], rows);
}

function commandSections(): string {
  const exitCodes = Object.values(EXIT_CODES).map((each) => [String(each.code), each.meaning]);
  const section = (name: string, help: string) => `## ${name}\n\n\`\`\`text\n${help}\n\`\`\``;
  return [
    tableText(['Code', 'Meaning'], exitCodes),
    section('Commands', helpText(MAX_HELP_COLUMNS)),
    ...Object.entries(COMMANDS).map(([name, command]) =>
      section(name, commandHelp(name, command, MAX_HELP_COLUMNS)),
    ),
  ].join('\n\n');
}

/** The part of a page that is generated. What stands before and after it is written by hand. */
const GENERATED = /(?<=<!-- Generated from .+ -->\n\n)[^]*?(?=\n<!-- The rest is written by hand\. -->|$)/;

/** A page as it is, with its generated part made again. */
const pageWith = (name: string, part: () => string): [file: string, page: () => string] => {
  const file = `docs/reference/${name}.md`;
  return [
    file,
    () => {
      const text = readFileSync(join(ROOT, file), 'utf8').replaceAll('\r\n', '\n');
      assert.match(text, GENERATED, `${file} has no place for what is generated`);
      return text.replace(GENERATED, () => `${part()}\n`);
    },
  ];
};

/** The pages with generated parts, each by its path. `npm run generate` writes them. */
export const PAGES: Readonly<Record<string, () => string>> = Object.fromEntries([
  pageWith('audit-events', eventTable),
  pageWith('configuration', settingTable),
  pageWith('errors', errorTable),
  pageWith('mcp-tools', toolSections),
  pageWith('terminal-client', commandSections),
]);
