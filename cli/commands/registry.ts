import { auditVerify } from './audit-verify.ts';
import type { Command } from './command.ts';
import { importFolder } from './import.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { ownerResetLink } from './owner-reset-link.ts';
import { sync } from './sync.ts';
import { whoami } from './whoami.ts';

/** The commands of the terminal client. They use the API of a running service, on this computer or another. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  login,
  logout,
  whoami,
  import: importFolder,
  sync,
  'owner-reset-link': ownerResetLink,
  'audit-verify': auditVerify,
};

/** What `--help` prints without a command. */
export const HELP = `The terminal client of the service.

Usage: npm run cli -- <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`)
  .join('\n')}

npm run cli -- <command> --help shows the options of a command.`;
