import { similarNames } from '../../shared/settings/unknown-variables.ts';
import { accept, login, logout, ownerResetLink, whoami } from '../commands/accounts.ts';
import { activity } from '../commands/activity.ts';
import { audit, auditVerify } from '../commands/audit.ts';
import { capture } from '../commands/captures.ts';
import { teamClients } from '../commands/clients.ts';
import { companyCreate, companyDelete, companyList, companyOwnerLink } from '../commands/companies.ts';
import { completion } from '../commands/completion.ts';
import { consolidate } from '../commands/consolidation.ts';
import { doctor } from '../commands/doctor.ts';
import { feedback } from '../commands/feedback.ts';
import { helpOf } from '../commands/help.ts';
import {
  hookInstall,
  hookPrompt,
  hookSessionEnd,
  hookSessionStart,
  hookTurnEnd,
  hookUninstall,
} from '../commands/hook.ts';
import { importFolder } from '../commands/imports.ts';
import { mcp } from '../commands/mcp.ts';
import { memories, reopen, restore, review, unpublish, versions } from '../commands/memories.ts';
import { teamAdd, teamInvites, teamMembers, teamResend } from '../commands/people.ts';
import { profileList, profileSet } from '../commands/profile.ts';
import { expand, search } from '../commands/search.ts';
import { download, ingest, open } from '../commands/sources/files.ts';
import { purgeMemory, purgeSource, sources } from '../commands/sources/library.ts';
import { archive, expire, move, tag, unarchive } from '../commands/sources/many.ts';
import {
  sourceDiff,
  sourceEdit,
  sourceRestore,
  sourceText,
  sourceVersions,
} from '../commands/sources/texts.ts';
import { status } from '../commands/status.ts';
import { sync } from '../commands/sync.ts';
import { teamList, teamShow, teamUse } from '../commands/teams.ts';
import { tokenCreate, tokenList, tokenRevoke, tokenRotate } from '../commands/tokens.ts';
import { redo, undo } from '../commands/undo.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Command, didYouMean, suggest } from './command.ts';
import { commandHelp, overview } from './help.ts';
import { VERSION } from './version.ts';

/** The commands of the terminal client, by name. They use the API of a running service, on this computer or another. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  login,
  logout,
  whoami,
  accept,
  'profile list': profileList,
  'profile set': profileSet,
  'token create': tokenCreate,
  'token list': tokenList,
  'token rotate': tokenRotate,
  'token revoke': tokenRevoke,
  search,
  expand,
  feedback,
  ingest,
  import: importFolder,
  sources,
  download,
  open,
  tag,
  move,
  expire,
  archive,
  unarchive,
  undo,
  redo,
  'source text': sourceText,
  'source edit': sourceEdit,
  'source versions': sourceVersions,
  'source diff': sourceDiff,
  'source restore': sourceRestore,
  'purge source': purgeSource,
  'purge memory': purgeMemory,
  capture,
  consolidate,
  review,
  memories,
  versions,
  reopen,
  unpublish,
  restore,
  'team list': teamList,
  'team show': teamShow,
  'team members': teamMembers,
  'team add': teamAdd,
  'team invites': teamInvites,
  'team resend': teamResend,
  'team clients': teamClients,
  'team use': teamUse,
  status,
  activity,
  audit,
  sync,
  doctor,
  completion,
  help: helpOf((words) => helpOn(words)),
  'hook install': hookInstall,
  'hook uninstall': hookUninstall,
  'hook session-start': hookSessionStart,
  'hook prompt': hookPrompt,
  'hook turn-end': hookTurnEnd,
  'hook session-end': hookSessionEnd,
  mcp,
  'company create': companyCreate,
  'company list': companyList,
  'company owner-link': companyOwnerLink,
  'company delete': companyDelete,
  'owner-reset-link': ownerResetLink,
  'audit-verify': auditVerify,
};

/** The commands whose name begins with this word and has another. */
function commandsOf(word: string): [string, Command][] {
  return Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${word} `));
}

/** A command that was called, with its arguments; or the help or the version that was asked for. */
export type Called = { name: string; command: Command; args: string[] } | { about: string };

const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help';

/** What `--help` prints without a command. */
export const helpText = (width?: number) => overview(Object.entries(COMMANDS), width);

/**
 * The help of the command or the group that the first one or two words name; of all commands without any.
 * @throws CommandError if no command has this name
 */
function helpOn(words: string[]): string {
  const [first] = words;
  if (first === undefined) return helpText();
  const group = commandsOf(first);
  if (group.length > 0 && words.length === 1) return overview(group);
  const called = findCommand(words);
  return 'about' in called ? called.about : commandHelp(called.name, called.command);
}

/** The error of a word that is no command, with those that it can mean: by their name, or by the second word of it. */
function unknownCommand(given: string): CommandError {
  const names = Object.keys(COMMANDS);
  const named = (word: string) => {
    const isComplete = commandsOf(word).length > 0 || names.includes(word);
    return isComplete ? [word] : names.filter((name) => name.endsWith(` ${word}`));
  };
  const words = names.flatMap((name) => [name, ...name.split(' ')]);
  const meant = new Set(similarNames(given, words).flatMap(named));
  return new CommandError(
    `there is no command ${JSON.stringify(given)}${didYouMean([...meant])} (see --help)`,
  );
}

/**
 * Finds the command that the first one or two words name.
 * @throws CommandError if no command has this name
 */
export function findCommand(words: string[]): Called {
  const [first, second, ...more] = words;
  if (first === '--help' || first === '-h')
    return { about: helpOn(words.filter((word) => !word.startsWith('-'))) };
  if (first === '--version' || first === 'version') return { about: VERSION };
  if (first === undefined) return { about: helpOn([]) };
  const command = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (command !== undefined) return { name: first, command, args: words.slice(1) };
  const group = commandsOf(first);
  if (group.length === 0) throw unknownCommand(first);
  if (isHelp(second)) return { about: helpOn([first, ...more]) };
  const found = group.find(([name]) => name === `${first} ${second}`);
  if (found !== undefined) return { name: found[0], command: found[1], args: more };
  const names = group.map(([name]) => name.slice(first.length + 1));
  const meant = second === undefined ? '' : suggest(second, names, `${first} `);
  throw new CommandError(`name a command of ${first}: ${names.join(', ')}${meant} (see --help)`);
}
